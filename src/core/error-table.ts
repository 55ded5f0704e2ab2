// The closed table of everything that can fail: what it means, what the caller can do, and its HTTP status.
// Invariant: a code is never reused for another meaning.
import { archiveErrors } from './archive/archive-error.ts'

/** One row of the error table: what the code means, what the caller can do, and its HTTP status. */
export interface ErrorRow {
  readonly meaning: string
  readonly recovery: string
  readonly status: number
  readonly retry: boolean
}

const row = (status: number, retry: boolean, meaning: string, recovery: string): ErrorRow => ({
  status,
  retry,
  meaning,
  recovery,
})

/** Every error code of Daybook. A code is never reused for another meaning. */
export const errorTable = {
  'invalid-input': row(
    400,
    false,
    'The input does not have the shape asked for.',
    'Correct the field at details.path.',
  ),
  'invalid-filter': row(
    400,
    false,
    'A filter, order or cursor is not understood.',
    'Correct the part at details.path.',
  ),
  'invalid-file': row(
    400,
    false,
    'A file to import is not what it claims to be.',
    'See details.file and details.path; nothing was imported.',
  ),
  'bundle-newer': row(
    400,
    false,
    'The bundle was written by a newer Daybook.',
    'Update Daybook; nothing was imported.',
  ),
  'wrong-passphrase': row(
    400,
    false,
    'It cannot be opened: another passphrase, or it was altered or cut short.',
    'Check the passphrase, and that the file is whole; nothing was changed.',
  ),
  'incomplete-file': row(
    400,
    false,
    'The file holds less than it says it holds: it was cut short.',
    'Get the whole file. If its own end is there, `allow_incomplete` imports what is there; nothing was imported.',
  ),
  'not-encrypted': row(
    400,
    false,
    'A passphrase was given, and the file is not encrypted.',
    'It may have been put in the place of the encrypted one. If it is meant to be open, give no passphrase; nothing was changed.',
  ),
  locked: row(
    423,
    false,
    'It is sealed, and the key is not at hand.',
    'Unlock the book with its passphrase, or import the key from a device that has it; nothing was changed.',
  ),
  'cipher-off': row(
    409,
    false,
    'This host makes no keys from passphrases that are strong enough.',
    'Encrypt and decrypt on a device, where the passphrase belongs.',
  ),
  'unknown-capability': row(
    404,
    false,
    'There is no capability of that id.',
    'Read the manifest for the ids there are.',
  ),
  'unknown-route': row(
    404,
    false,
    'There is nothing at this address.',
    'GET /manifest names what can be called, and how.',
  ),
  'wrong-method': row(
    405,
    false,
    'This address does not answer that HTTP method.',
    'Use one of details.allow.',
  ),
  'not-found': row(404, false, 'There is no record of that id.', 'Check the id; it may have been forgotten.'),
  conflict: row(
    409,
    false,
    'The record is not in a state that allows this.',
    'Read the record again and decide.',
  ),
  'request-reused': row(
    409,
    false,
    'A requestId was used before for another call.',
    'Use a new requestId for each different call.',
  ),
  'too-large': row(
    413,
    false,
    'The input is larger than the limit.',
    'Send less at once; details.limitBytes or details.limitOps says how much.',
  ),
  'too-broad': row(422, false, 'A guest looks into too much.', 'Narrow it to details.limitBytes.'),
  unauthorized: row(401, false, 'No key, or one that is not known.', 'Send a valid key as a bearer token.'),
  forbidden: row(
    403,
    false,
    'The caller may not do this.',
    'Ask the owner of the book for a grant; over plain HTTP, ask again over HTTPS.',
  ),
  'consent-required': row(
    403,
    false,
    'No policy of this book lets the caller read memories.',
    'Ask with `consent:request`, and present the receipt once there is one.',
  ),
  'rate-limited': row(429, true, 'Too many requests.', 'Wait details.retryAfterMs and try again.'),
  aborted: row(
    499,
    false,
    'The caller cancelled.',
    'Call again when wanted; nothing was changed unless said.',
  ),
  'deadline-exceeded': row(
    504,
    true,
    'No answer came in time.',
    'Call again with the same requestId; it takes effect once.',
  ),
  'book-closed': row(409, false, 'The book was closed.', 'Open it again.'),
  'open-elsewhere': row(423, true, 'Another process has this book open.', 'Close it there, or work there.'),
  'engine-died': row(
    500,
    true,
    'The engine of the book ended unexpectedly.',
    'Open the book again; what was acknowledged is kept unless the data of the site was cleared.',
  ),
  'assets-mismatch': row(
    500,
    false,
    'The worker of Daybook is of another version than the page.',
    'Run npx daybook assets at each build; if the page was loaded long ago, load it anew.',
  ),
  'room-full': row(409, true, 'The meeting room is full.', 'Wait until somebody leaves.'),
  'owner-unresponsive': row(
    503,
    true,
    'The tab or process that holds the book does not answer.',
    'Show or close the other tabs of this site, or end that process, and call again, a write under details.requestId where there is one: it takes effect once.',
  ),
  'owner-changed': row(
    503,
    true,
    'The tab or process that held the book ended in the middle of this.',
    'See what was done, then run it again.',
  ),
  'tab-outdated': row(
    409,
    false,
    'Another tab runs a newer Daybook and has the book.',
    'Reload this page; nothing was lost.',
  ),
  'storage-unavailable': row(
    503,
    false,
    'No durable storage can be had here.',
    "Allow site data, or open with onUnavailable: 'memory'.",
  ),
  'quota-exceeded': row(507, false, 'Guests may store no more here.', 'Forget some; see details.limit.'),
  'storage-full': row(
    507,
    false,
    'The storage is full.',
    'Forget or export records, or free space; the book stays readable.',
  ),
  'storage-failed': row(
    500,
    true,
    'The storage reported an error.',
    'Open the book again; export it if this repeats.',
  ),
  'book-newer': row(
    409,
    false,
    'The book was written by a newer Daybook.',
    'Update Daybook; nothing was changed.',
  ),
  'book-erased': row(
    410,
    false,
    'The owner has erased this book.',
    'A copy that is still here is kept: export it, erase it here as well, or begin the book anew with its name as confirmation.',
  ),
  'sync-off': row(409, false, 'This book has no mirror to sync with.', 'Open it with sync: { url, key }.'),
  'runs-elsewhere': row(
    409,
    false,
    'This capability does not run at this copy of the book.',
    'Call it where details.runs says; the manifest says so of each capability.',
  ),
  'signing-off': row(
    409,
    false,
    'No private key of this book is kept here, so nothing can be signed.',
    'Sign on a device of the owner and sync; the mirror only verifies.',
  ),
  offline: row(
    503,
    true,
    'The mirror cannot be reached.',
    'Nothing is lost; try again when there is a connection.',
  ),
  'model-unavailable': row(
    503,
    true,
    'The language model gave no usable answer.',
    'Try again later, or without a model.',
  ),
  'embedder-off': row(
    503,
    false,
    'There is no embedder here.',
    'Configure one; full text answers without it.',
  ),
  'embedder-failed': row(
    502,
    true,
    'The embedder gave no vectors.',
    'Nothing is lost; it is asked again, and full text answers meanwhile.',
  ),
  'resync-required': row(
    409,
    true,
    'The mirror asks this device to start over.',
    'Sync again; unsent changes are kept.',
  ),
  'device-forked': row(
    409,
    false,
    'Two copies of this device exist.',
    'Sync again under a new device id; unsent changes are kept.',
  ),
  'client-too-old': row(
    426,
    false,
    'The mirror no longer speaks this version.',
    'Update Daybook on this device.',
  ),
  'server-too-old': row(426, false, 'The mirror does not speak this version yet.', 'Update the edge.'),
  'protocol-error': row(
    502,
    true,
    'The other side answered something that is not the protocol.',
    'Check the address of the mirror.',
  ),
  internal: row(500, false, 'Daybook itself failed.', 'Report it with details; nothing half done was kept.'),
  'record-newer': row(
    409,
    false,
    'The record says what this Daybook does not understand: a newer one wrote it.',
    'Update Daybook, or forget the record; nothing was changed.',
  ),
  'package-missing': row(
    501,
    false,
    'A package that this needs is not installed.',
    'Install details.package; nothing was changed.',
  ),
  'backup-failed': row(
    500,
    false,
    'A backup did not restore to what it was made from.',
    'Nothing of it was kept or restored; make another one, and report it with details if this repeats.',
  ),
  'no-transport': row(
    503,
    true,
    'No way to the agent works now.',
    'See that it runs, and send again under the same requestId: it takes effect once.',
  ),
  ...archiveErrors,
  'local-network-blocked': row(
    503,
    true,
    'The browser lets this page reach no program of this machine or network.',
    'Ask for the permission after a click, with localNetwork.ask(url), or allow it in the settings of this site; nothing is lost.',
  ),
  'needs-page': row(
    501,
    false,
    'This entry of Daybook runs in pages, and here is none.',
    'In Node import daybook/node; in a page that a server makes first, open the book in the browser only.',
  ),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable
