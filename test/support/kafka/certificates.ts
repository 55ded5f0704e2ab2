// A certificate for a broker of the tests' own, and whoever vouches for it.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Certificates {
  /** A file with the certificate that vouches. */
  readonly ca: string
  /** A file with the key and the certificate of the broker, as Kafka reads it. */
  readonly server: string
}

/** Makes both for `localhost`, in `folder`. */
export function makeCertificates(folder: string): Certificates {
  const [key, ca, server] = ['server.key', 'ca.crt', 'server.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const making = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', ca]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', [...making, ...subject], { stdio: 'ignore' })
  writeFileSync(server, `${readFileSync(key, 'utf8')}${readFileSync(ca, 'utf8')}`, { mode: 0o600 })
  return { ca, server }
}
