// What guests can do to a book over HTTP, over a Durable Object for each book.
import { describe } from 'vitest'
import { guestRouteCases } from '../../contract/access/guest-route.ts'
import { guestLateSourceCases } from '../../contract/access/guest-late-source.ts'
import { guestMarkCases } from '../../contract/access/guest-mark.ts'
import { guestQuoteCases } from '../../contract/access/guest-quote.ts'
import { guestSyncCases } from '../../contract/access/guest-sync.ts'
import { guestSyncLinkCases } from '../../contract/access/guest-sync-link.ts'
import { consentRouteCases } from '../../contract/consent/consent-route.ts'
import { proposerRouteCases } from '../../contract/consent/proposer-route.ts'
import { sealedConsentRouteCases } from '../../contract/consent/sealed-route.ts'
import type { GuestHost } from '../../contract/access/guest-world.ts'
import { sealedRouteCases } from '../../contract/access/sealed-route.ts'
import { call } from './http.ts'

describe('a guest of a Worker', () => {
  const host: GuestHost = {
    key: 'development',
    async ask(path, { key, body, headers }) {
      const response = await call(path, {
        key,
        body,
        ...(headers ? { headers } : {}),
      })
      return { status: response.status, text: await response.text() }
    },
  }
  guestRouteCases(host)
  guestSyncCases(host)
  guestMarkCases(host)
  guestQuoteCases(host)
  guestLateSourceCases(host)
  guestSyncLinkCases(host)
  proposerRouteCases(host)
  consentRouteCases(host)
  sealedRouteCases(host)
  sealedConsentRouteCases(host)
})
