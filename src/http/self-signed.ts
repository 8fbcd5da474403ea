// Makes a self-signed certificate and its key (PEM) for the names of a machine, so that the service can start with TLS before there
// is a real certificate. The bytes are DER (X.690) in the layout of RFC 5280.
import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { groupsOf } from '../platform/addresses.ts'

const commonName = 'Vitrine development certificate'
const dayMs = 86_400_000
// Clocks of other machines may be behind.
const earlierMs = 3_600_000

export function makeSelfSigned(input: { names: string[]; days: number; now: Date }): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const keyId = hash('sha1', spki, 'buffer')
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'))
  const name = sequence(set(sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(commonName)))))
  const startMs = input.now.getTime()

  const toBeSigned = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(positiveSerial()),
    algorithm,
    name,
    sequence(time(startMs - earlierMs), time(startMs + input.days * dayMs)),
    name,
    spki,
    der(
      0xa3,
      sequence(
        // Not an authority: trusting this certificate means trusting these names only.
        extension('2.5.29.19', sequence(), true),
        extension('2.5.29.15', der(0x03, Buffer.of(7, 0x80)), true),
        extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))),
        extension('2.5.29.17', sequence(...input.names.map(alternativeName))),
        extension('2.5.29.14', der(0x04, keyId)),
        extension('2.5.29.35', sequence(der(0x80, keyId))),
      ),
    ),
  )
  const certificate = sequence(toBeSigned, algorithm, bitString(sign('sha256', toBeSigned, privateKey)))
  return { cert: pem('CERTIFICATE', certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content])
  const length = Buffer.from(evenHex(content.length), 'hex')
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, content])
}

const evenHex = (value: number): string => {
  const digits = value.toString(16)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
const set = (...parts: Buffer[]): Buffer => der(0x31, ...parts)
const integer = (bytes: Buffer): Buffer => der(0x02, bytes)
const bitString = (bytes: Buffer): Buffer => der(0x03, Buffer.of(0), bytes)

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(0x06, ...[first * 40 + second, ...rest].map(base128))
}

function base128(value: number): Buffer {
  const bytes = [value % 128]
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) bytes.unshift(0x80 | (left % 128))
  return Buffer.from(bytes)
}

function positiveSerial(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f)
  return bytes
}

// RFC 5280 4.1.2.5: two digits of the year until 2049, four from 2050 on.
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')
  return digits < '2050' ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits))
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [der(0x01, Buffer.of(0xff))] : []), der(0x04, value))
}

function alternativeName(name: string): Buffer {
  const family = isIP(name)
  if (family === 0) return der(0x82, Buffer.from(domainToASCII(name)))
  return der(0x87, family === 4 ? Buffer.from(name.split('.').map(Number)) : ipv6Bytes(name))
}

const ipv6Bytes = (address: string): Buffer =>
  Buffer.from(groupsOf(address.replace(/%.*/, '')).flatMap((group) => [group >> 8, group & 255]))

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
}
