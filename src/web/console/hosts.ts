// The names that the console answers to. With DNS rebinding, a foreign site can point its own name at this machine and would then
// share an origin with the console. So every unknown name is refused.
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { Reply } from '../../http/exchange.ts'
import type { Certificate } from '../../http/tls.ts'
import { sentence } from './exchange.ts'

// Any IP address is accepted: DNS rebinding needs a name.
export function createHostCheck(names: readonly string[]) {
  const known = new Set(['localhost', ...names.map(plainName)])
  let parsed: { readonly from: Certificate; readonly names: X509Certificate } | undefined
  const isOfCertificate = (name: string, current: Certificate) => {
    if (parsed?.from !== current) parsed = { from: current, names: new X509Certificate(current.cert) }
    return parsed.names.checkHost(name) !== undefined
  }
  // The refusal of a request for its Host headers, if any.
  return (hosts: readonly string[], current: Certificate): Reply | undefined => {
    const [, name] = (hosts.length === 1 && hostPattern.exec(hosts[0] ?? '')) || []
    if (name === undefined) return sentence(400, 'A request needs one Host header, with a name or an address.')
    const plain = plainName(name)
    if (isIP(plain.replace(/^\[(.*)\]$/, '$1')) !== 0 || known.has(plain) || isOfCertificate(plain, current)) return
    return sentence(
      421,
      `The console is not known as ${plain}. Open it by an IP address, as localhost or by a name of its certificate; to allow this name, add it to VITRINE_CONSOLE_NAMES.`,
    )
  }
}

const hostPattern = /^([a-z\d][\w.-]*|\[[\da-f:.]+\])(?::\d*)?$/i

const plainName = (name: string) => name.toLowerCase().replace(/\.$/, '')
