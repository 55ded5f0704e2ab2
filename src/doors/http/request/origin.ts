// Which pages may call the edge from a browser: those of this machine, and those that the deployment names.
import { isOwnName } from '../../../core/address.ts'

/** An origin as a browser sends it: no path, nothing at its end. */
const origins = /^https?:\/\/([^/:]+|\[::1\])(?::\d{1,5})?$/

/** True for an origin of this machine, or one of `named`. */
export function isAllowedOrigin(origin: string, named = ''): boolean {
  const host = origins.exec(origin)?.[1]
  return (host !== undefined && isOwnName(host)) || isNamedOrigin(origin, named)
}

/** True for one of `named`: origins apart by blanks or commas, each exact. */
export function isNamedOrigin(origin: string, named = ''): boolean {
  return named.split(/[\s,]+/).some((one) => one !== '' && one === origin)
}
