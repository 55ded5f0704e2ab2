// Local Network Access: a page of the internet needs the user's permission to reach programs of this machine
// or network. Without the permission `fetch` fails as if the program didn't run; this module distinguishes
// the two.
import { isOwnName, checkAddress } from '../../../core/address.ts'
import { DaybookError } from '../../../core/errors.ts'

/**
 * `granted`; `prompt`: the user hasn't answered yet; `denied`: by the user, the browser or the page's policy;
 * `unneeded`: a public address, a page of this machine or of the same network, or a browser that doesn't ask.
 */
export type LocalNetworkState = 'granted' | 'prompt' | 'denied' | 'unneeded'

type AddressSpace = 'loopback' | 'local' | 'public'

const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
/** Blocks of the specification of Local Network Access; 100.64.0.0/10 is shared address space, used by VPNs. */
const localIpv4 =
  /^(?:10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./
/** Unique local (`fc00::/7`) and link-local (`fe80::/10`) addresses. */
const localIpv6 = /^\[(?:f[cd]|fe[89ab])/

/**
 * The network of a URL by its host name. A public name may lead to this network too; a page can't detect
 * that.
 */
function addressSpaceOf(url: string): AddressSpace {
  const host = new URL(url).hostname.toLowerCase()
  const isIpv4 = ipv4.test(host)
  if (isOwnName(host) || host.endsWith('.localhost') || (isIpv4 && host.startsWith('127.'))) return 'loopback'
  const isLocal = isIpv4 ? localIpv4.test(host) : localIpv6.test(host) || host.endsWith('.local')
  return isLocal ? 'local' : 'public'
}

/** A worker of a `blob:` address has the origin of its page; an opaque origin has no network. */
function pageAddressSpace(): AddressSpace {
  const { origin } = globalThis.location
  return origin === 'null' ? 'public' : addressSpaceOf(origin)
}

/** Names of the permission: first since Chromium 145, then before. */
const permissionNames = {
  loopback: ['loopback-network', 'local-network-access'],
  local: ['local-network', 'local-network-access'],
}

/** The state of this page's or worker's permission for `url`. Never asks the user. */
async function localNetworkState(url: string): Promise<LocalNetworkState> {
  const space = addressSpaceOf(url)
  const pageSpace = pageAddressSpace()
  if (space === 'public' || pageSpace === 'loopback' || pageSpace === space) return 'unneeded'
  for (const name of permissionNames[space]) {
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName })
      return state
    } catch {
      // The browser doesn't know this name.
    }
  }
  return 'unneeded'
}

/**
 * `local-network-blocked` if the browser may have blocked the failed request to `url`; undefined otherwise.
 * `cause`: the error of `fetch`.
 */
export async function blockedError(url: string, cause: unknown): Promise<DaybookError | undefined> {
  const state = await localNetworkState(url)
  if (state === 'granted' || state === 'unneeded') return undefined
  const where = addressSpaceOf(url) === 'loopback' ? 'this machine' : 'this network'
  return new DaybookError(
    'local-network-blocked',
    `The browser blocks this page from reaching ${where}: ask with localNetwork.ask, or change the site's settings.`,
    {
      details: { address: new URL(url).origin, permission: state },
      cause,
    },
  )
}

/** `fetch` that rejects with `local-network-blocked` if the browser blocked a local request. */
export const localFetch: typeof fetch = async (...args) => {
  try {
    return await fetch(...args)
  } catch (error) {
    const [target] = args
    const address = typeof target === 'string' ? target : target instanceof URL ? target.href : target.url
    // A blocked request fails with a `TypeError`. Other errors, such as an abort, stay as they are.
    if (!(error instanceof TypeError) || !URL.canParse(address, globalThis.location.href)) throw error
    throw (await blockedError(new URL(address, globalThis.location.href).href, error)) ?? error
  }
}

/** A request that makes the browser ask the user. */
interface LocalRequest extends RequestInit {
  readonly targetAddressSpace: 'loopback' | 'local'
}

/**
 * Local Network Access for books whose mirror (`daybook serve`), embedder or language model is a program of
 * this machine or network, in a page of the internet. Both functions reject with `invalid-input` for an
 * invalid URL.
 */
export const localNetwork = {
  /** The state of the permission, without asking the user. */
  state: async (url: string): Promise<LocalNetworkState> => localNetworkState(checkAddress(url, 'url')),

  /**
   * Asks the user, unless they have answered, and resolves with the new state. Call it after a click, and
   * explain the reason first. In a frame the embedding page must allow it (`allow="loopback-network"`). Then
   * repeat the calls that failed with `local-network-blocked`.
   */
  async ask(url: string): Promise<LocalNetworkState> {
    const address = checkAddress(url, 'url')
    if ((await localNetworkState(address)) !== 'prompt') return localNetworkState(address)
    const init: LocalRequest = {
      mode: 'no-cors',
      credentials: 'omit',
      targetAddressSpace: targetAddressSpace(address),
    }
    // Ignore the answer and any error: only the question to the user is needed.
    await fetch(`${address}/health`, init).catch(() => undefined)
    return localNetworkState(address)
  },
}

const targetAddressSpace = (url: string) => (addressSpaceOf(url) === 'local' ? 'local' : 'loopback')
