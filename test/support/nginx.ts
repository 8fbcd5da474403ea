// nginx as the proxy that ends TLS in front of a service: it keeps connections to the plain port and shares them among its
// callers. It runs in the foreground, with everything it writes in a folder of its own.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server as Listener } from 'node:net'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { startProcess, temporaryFolder, until, type Server } from './process.ts'

const places = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx']
const program = places.find((place) => existsSync(place) && spawnSync(place, ['-v']).status === 0)

export const nginxMissing = (): string | false => (program ? false : 'nginx is not installed here')

async function listenOn(listener: Listener): Promise<number> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return (listener.address() as AddressInfo).port
}

/** Between nginx and the service, so that connections can be counted. */
async function countConnections(to: number) {
  let connections = 0
  const relay = createServer((socket) => {
    connections += 1
    const other = connect(to, '127.0.0.1')
    for (const [one, another] of [
      [socket, other],
      [other, socket],
    ] as const) {
      one.pipe(another)
      one.on('error', () => another.destroy())
      one.on('close', () => another.destroy())
    }
  })
  return { port: await listenOn(relay), connections: () => connections, close: () => relay.close() }
}

const site = (port: number, to: number, server: Server) => `
log_format sent '$upstream_http_x_request_id $upstream_status $request_uri';
access_log access.log sent;
# Those who send half a request are not what is waited for.
client_header_timeout 2s;
client_body_timeout 2s;
upstream vitrine { server 127.0.0.1:${to}; keepalive 8; keepalive_requests 100000; }
server {
  listen 127.0.0.1:${port} ssl;
  ssl_certificate ${server.certificate};
  ssl_certificate_key ${join(server.data, 'development-key.pem')};
  location / {
    proxy_pass http://vitrine;
    proxy_http_version 1.1;
    proxy_set_header Connection '';
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto https;
  }
}
`

const configuration = (folder: string) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log info;
events { worker_connections 512; }
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  include ${folder}/site.conf;
}
`

/** With a site's file, in which relative paths are in a folder of its own. */
export async function startNginxWith(siteText: string) {
  const folder = temporaryFolder('vitrine-nginx-')
  writeFileSync(join(folder, 'site.conf'), siteText)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(folder))
  const { child, ended, stderr } = startProcess(program ?? '', [
    '-p',
    folder,
    '-c',
    file,
    '-e',
    join(folder, 'start.log'),
  ])
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'latin1') : '')
  await until('nginx listens', () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${stderr()} ${read('start.log')}`)
    return existsSync(join(folder, 'nginx.pid'))
  })
  return {
    read,
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function startNginx(server: Server) {
  const [port, relay] = await Promise.all([freePort(), countConnections(server.http)])
  const nginx = await startNginxWith(site(port, relay.port, server))
  return {
    port,
    connections: relay.connections,
    /** What it sent to the service and had an answer to: our request id, and the path it asked for. */
    requests: () =>
      nginx
        .read('access.log')
        .split('\n')
        .map((line) => line.split(' '))
        .filter(([id = '-', status = '-']) => id !== '-' && id !== '' && status !== '-')
        .map(([id = '', , path = '']) => ({ id, path })),
    async stop() {
      await nginx.stop()
      relay.close()
    },
  }
}
