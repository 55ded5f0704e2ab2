// `GET /manifest`: every capability with its schemas, from the one table, and how the agent that it is can be reached.
// Invariant: whatever addresses a client invents, few manifests are held, and none is written anew.
import { Hono } from 'hono'
import { product } from '../../../bundle/format/product.ts'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { createManifest } from '../../manifest.ts'
import { wireVersion } from '../../../sync/wire/protocol.ts'
import type { EdgeTypes } from '../../../edge/edge-env.ts'
import { SharedDocument } from '../request/shared-document.ts'

/** An edge has few addresses of its own; others are what clients say. */
const mostAddresses = 16
const anyAddress = 'https://address.invalid'

type Bytes = Uint8Array<ArrayBuffer>
/** What stands before the address, and what after it. */
let parts: readonly [Bytes, Bytes] | undefined
const documents = new Map<string, SharedDocument>()

export const manifestRoute = new Hono<EdgeTypes>().get('/manifest', (c) =>
  documentOf(new URL(c.req.url).origin).answer(c),
)

/** The manifest with the address under which it was asked for: an edge may have several. */
function documentOf(address: string): SharedDocument {
  const known = documents.get(address)
  const document = known ?? new SharedDocument(manifestAt(address))
  // The one that was not asked for the longest stands first.
  documents.delete(address)
  documents.set(address, document)
  const [oldest] = documents.keys()
  if (documents.size > mostAddresses && oldest !== undefined) documents.delete(oldest)
  return document
}

function manifestAt(address: string): Bytes {
  const [before, after] = (parts ??= manifestParts())
  const middle = new TextEncoder().encode(JSON.stringify(address))
  const whole = new Uint8Array(before.length + middle.length + after.length)
  whole.set(before)
  whole.set(middle, before.length)
  whole.set(after, before.length + middle.length)
  return whole
}

function manifestParts(): readonly [Bytes, Bytes] {
  const transports = [{ type: 'http', endpoint: anyAddress }] as const
  const text = JSON.stringify(
    createManifest(capabilityTable, { wire: wireVersion, version: product.version, transports }),
  )
  const mark = JSON.stringify(anyAddress)
  const at = text.indexOf(mark)
  const encoder = new TextEncoder()
  return [encoder.encode(text.slice(0, at)), encoder.encode(text.slice(at + mark.length))]
}
