// Local Network Access: a page of the internet reaches programs of this machine, or of its network, only with a permission
// that its user gives. Without it `fetch` fails as if nobody were there; here the two are told apart.
import { isOwnName } from '../../../core/address.ts'
import { DaybookError } from '../../../core/errors.ts'

/**
 * `granted`; `prompt`: the user has not been asked, or has not answered; `denied`: the user, the browser or the page's own
 * policy says no; `unneeded`: the address is of the internet, the page itself is of this machine, or the browser asks nobody.
 */
export type LocalNetworkState = 'granted' | 'prompt' | 'denied' | 'unneeded'

type Space = 'loopback' | 'local' | 'public'

/** What an address says of where it is. A name of the internet may lead to this network all the same; that can't be seen. */
export function spaceOf(url: string): Space {
  const { hostname } = new URL(url)
  const host = hostname.toLowerCase()
  if (isOwnName(host) || host.endsWith('.localhost') || host.startsWith('127.')) return 'loopback'
  const isLocal =
    /^(?:10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\./.test(host) ||
    /^\[(?:f[cd]|fe[89ab])/.test(host) ||
    host.endsWith('.local')
  return isLocal ? 'local' : 'public'
}

/** Names of the permission: the ones there are since Chromium 145, and the one before. */
const namesOf = {
  loopback: ['loopback-network', 'local-network-access'],
  local: ['local-network', 'local-network-access'],
}

/** What the user has said of the address `url`, for this page. In a worker it is the same. */
export async function localNetworkState(url: string): Promise<LocalNetworkState> {
  const space = spaceOf(url)
  const own = spaceOf(globalThis.location.href)
  if (space === 'public' || own === 'loopback' || own === space) return 'unneeded'
  for (const name of namesOf[space]) {
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName })
      return state
    } catch {
      // No such name here.
    }
  }
  return 'unneeded'
}

/** The error of a request to `url` that reached nobody: `local-network-blocked` where the browser let it reach nobody. */
export async function blockedError(url: string, cause: unknown): Promise<DaybookError | undefined> {
  const state = await localNetworkState(url)
  if (state === 'granted' || state === 'unneeded') return undefined
  const where = spaceOf(url) === 'loopback' ? 'this machine' : 'this network'
  return new DaybookError('local-network-blocked', `The browser lets this page reach nobody on ${where}.`, {
    details: { address: new URL(url).origin, permission: state },
    cause,
  })
}

/** `fetch` of a worker, which says why when the browser kept a request from this machine or network. */
export const localFetch: typeof fetch = async (...args) => {
  try {
    return await fetch(...args)
  } catch (error) {
    const [to] = args
    const url = typeof to === 'string' ? to : to instanceof URL ? to.href : to.url
    // An abort is the caller's own; whatever else fails is a `TypeError`.
    throw (error instanceof TypeError && (await blockedError(url, error))) || error
  }
}
