// The permission to reach programs of this machine or network, as a page asks for it: workers can't ask, or not everywhere.
import { checkAddress } from '../../../core/address.ts'
import { type LocalNetworkState, localNetworkState, spaceOf } from '../port/local-network.ts'

export type { LocalNetworkState } from '../port/local-network.ts'

/** What of a request makes the browser ask: no more than that it is made. */
interface LocalRequest extends RequestInit {
  readonly targetAddressSpace: 'loopback' | 'local'
}

/**
 * For books whose mirror (`daybook serve`), embedder or language model is a program of this machine or network, in a page of
 * the internet. Throws `invalid-input` for what is no address of one.
 */
export const localNetwork = {
  /** What the user has said, without asking. */
  state: async (url: string): Promise<LocalNetworkState> => localNetworkState(checkAddress(url, 'url')),

  /**
   * Asks the user, if they have not said yet: call it after a click, and say before what it is for. In a frame the embedding
   * page must allow it (`allow="loopback-network"`). What failed with `local-network-blocked` can be called again then.
   */
  async ask(url: string): Promise<LocalNetworkState> {
    const address = checkAddress(url, 'url')
    if ((await localNetworkState(address)) !== 'prompt') return localNetworkState(address)
    const init: LocalRequest = {
      mode: 'no-cors',
      credentials: 'omit',
      targetAddressSpace: spaceName(address),
    }
    // Whether anybody answers is not asked: there is an answer to the permission either way.
    await fetch(`${address}/health`, init).catch(() => undefined)
    return localNetworkState(address)
  },
}

const spaceName = (url: string) => (spaceOf(url) === 'local' ? 'local' : 'loopback')
