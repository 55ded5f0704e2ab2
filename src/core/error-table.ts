// The closed table of error codes.
// Invariant: a code is never reused for another meaning. Callers decide by code and `retry`; messages may
// change.

/** Meaning of the code, remedy for the caller, HTTP status, and whether a retry may succeed. */
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

/** Every error code of Daybook. */
export const errorTable = {
  'invalid-input': row(
    400,
    false,
    'The input does not have the expected shape.',
    'Correct the field at details.path.',
  ),
  'invalid-filter': row(
    400,
    false,
    'The filter, order or cursor is not valid.',
    'Correct the part at details.path.',
  ),
  'invalid-file': row(
    400,
    false,
    'The file is not what it claims to be.',
    'See details.path for the place. Nothing was imported.',
  ),
  'bundle-newer': row(
    400,
    false,
    'A newer Daybook wrote this bundle.',
    'Update Daybook. Nothing was imported.',
  ),
  'wrong-passphrase': row(
    400,
    false,
    'Wrong passphrase, or the file was changed or cut short.',
    'Check the passphrase and the file. Nothing was changed.',
  ),
  'incomplete-file': row(
    400,
    false,
    'The file is cut short: it has less than it declares.',
    'Get the whole file. If its end is there, `allowIncomplete` imports what is there. Nothing was imported.',
  ),
  'not-encrypted': row(
    400,
    false,
    'A passphrase was given, but the file is not encrypted.',
    'Check that nobody replaced the encrypted file. To use this file, give no passphrase. Nothing was changed.',
  ),
  locked: row(
    423,
    false,
    'The record is sealed, and its key is not available here.',
    'Unlock the book with its passphrase, or import the key from a device that has it. Nothing was changed.',
  ),
  'cipher-off': row(
    409,
    false,
    "This host can't derive strong enough keys from passphrases.",
    'Encrypt and decrypt on a device instead.',
  ),
  'unknown-capability': row(
    404,
    false,
    'There is no capability with this id.',
    'The manifest lists all ids.',
  ),
  'unknown-route': row(
    404,
    false,
    'There is nothing at this address.',
    'GET /manifest lists everything that can be called.',
  ),
  'wrong-method': row(
    405,
    false,
    'This address does not support the HTTP method.',
    'Use one of details.allow.',
  ),
  'not-found': row(
    404,
    false,
    'There is no record with this id.',
    'Check the id. The record may have been forgotten.',
  ),
  conflict: row(
    409,
    false,
    'The state of the record does not allow this.',
    'Read the record again, then decide.',
  ),
  'request-reused': row(
    409,
    false,
    'The requestId was used before for another call.',
    'Use a new requestId for each different call.',
  ),
  'too-large': row(
    413,
    false,
    'The input is larger than the limit.',
    'Send less at once. The limit is in details: limitBytes, limitCharacters, limitOps, or limit for a count.',
  ),
  'too-broad': row(
    422,
    false,
    'A guest reads too much at once.',
    'Narrow the request to details.limitBytes.',
  ),
  unauthorized: row(
    401,
    false,
    'The key is missing or unknown.',
    'Use a valid key. Over HTTP, send it as a bearer token.',
  ),
  forbidden: row(
    403,
    false,
    'The caller is not allowed to do this.',
    'Ask the owner of the book for a grant.',
  ),
  'consent-required': row(
    403,
    false,
    'No policy of this book lets the caller read memories.',
    'Ask for consent with `consent:request`, then call again with the receipt.',
  ),
  'rate-limited': row(429, true, 'Too many requests.', 'Wait details.retryAfterMs, then try again.'),
  aborted: row(
    499,
    false,
    'The caller cancelled the call.',
    'Nothing was changed unless details.mayHaveBegun is true: check what was done. Then call again, with details.requestId if there is one: a write takes effect once.',
  ),
  'deadline-exceeded': row(
    504,
    true,
    'No answer came in time.',
    'Call again. With the requestId of the first call, a write takes effect once.',
  ),
  'book-closed': row(409, false, 'The book is closed.', 'Open it again.'),
  'open-elsewhere': row(423, true, 'Another process has this book open.', 'Close it there, or work there.'),
  'engine-died': row(
    500,
    true,
    'The engine of the book stopped unexpectedly.',
    'Open the book again. Acknowledged writes are safe, unless the site data was cleared.',
  ),
  'assets-mismatch': row(
    500,
    false,
    'The Daybook worker and the page have different versions.',
    'Run npx daybook assets at each build. If the page has been open for long, reload it.',
  ),
  'room-full': row(409, true, 'The meeting room is full.', 'Wait until somebody leaves.'),
  'owner-unresponsive': row(
    503,
    true,
    'The tab or process that owns the book does not answer.',
    'Show or close the other tabs of this site, or end that process. Then call again, with details.requestId if there is one: a write takes effect once.',
  ),
  'owner-changed': row(
    503,
    true,
    'The tab or process that owned the book ended during this call.',
    'Check what was done, then run it again.',
  ),
  'tab-outdated': row(
    409,
    false,
    'Another tab owns the book and runs a newer Daybook.',
    'Reload this page. Nothing was lost.',
  ),
  'storage-unavailable': row(
    503,
    false,
    'No durable storage is available here.',
    "Allow site data, or open with onUnavailable: 'memory'.",
  ),
  'quota-exceeded': row(
    507,
    false,
    'The storage quota of guests is used up.',
    'Forget some records. details.limit is the quota.',
  ),
  'storage-full': row(
    507,
    false,
    'The storage is full.',
    'Forget or export records, or free space. The book stays readable.',
  ),
  'storage-failed': row(
    500,
    true,
    'The storage reported an error.',
    'Open the book again. If this repeats, export the book. If it does not open, only a mirror or a bundle brings it back.',
  ),
  'book-newer': row(409, false, 'A newer Daybook wrote this book.', 'Update Daybook. Nothing was changed.'),
  'book-erased': row(
    410,
    false,
    'The owner erased this book.',
    'A copy on this device stays: export it, erase it here too, or begin the book again with its name as confirmation.',
  ),
  'part-unavailable': row(
    503,
    true,
    'A file of Daybook could not be loaded.',
    'Nothing was stored. Call again when there is a connection. If the app was updated meanwhile, load the page again.',
  ),
  'sync-off': row(409, false, 'This book has no mirror to sync with.', 'Open it with sync: { url, key }.'),
  'runs-elsewhere': row(
    409,
    false,
    'This copy of the book does not run this capability.',
    'Call it where details.runs says. The manifest says it for each capability.',
  ),
  'signing-off': row(
    409,
    false,
    "This copy of the book has no private key, so it can't sign.",
    'Sign on a device of the owner, then sync. The mirror only verifies.',
  ),
  offline: row(
    503,
    true,
    "The mirror can't be reached.",
    'Nothing is lost. Try again when there is a connection.',
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
    'No embedder is configured here.',
    'Configure one. Full-text search works without it.',
  ),
  'embedder-failed': row(
    502,
    true,
    'The embedder returned no vectors.',
    'Nothing is lost. Daybook tries again; until then full-text search answers.',
  ),
  'resync-required': row(
    409,
    true,
    'The mirror asks this device to start over.',
    'Sync again. Unsent changes are safe.',
  ),
  'device-forked': row(
    409,
    false,
    'Two copies of this device exist.',
    'Sync again with a new device id. Unsent changes are safe.',
  ),
  'client-too-old': row(
    426,
    false,
    'The mirror no longer supports the version of this device.',
    'Update Daybook on this device.',
  ),
  'server-too-old': row(
    426,
    false,
    'The mirror does not support the version of this device yet.',
    'Update the edge.',
  ),
  'protocol-error': row(502, true, 'The other side broke the protocol.', 'Check the address of the mirror.'),
  internal: row(500, false, 'Daybook itself failed.', 'Report it with its details. Nothing was half done.'),
  'record-newer': row(
    409,
    false,
    "A newer Daybook wrote this record, and this one can't read it.",
    'Update Daybook, or forget the record. Nothing was changed.',
  ),
  'package-missing': row(
    501,
    false,
    'A package that this needs is not installed.',
    'Install details.package. Nothing was changed.',
  ),
  'backup-failed': row(
    500,
    false,
    'The backup did not restore to the same records.',
    'Nothing of it was stored or restored. Make another backup. If this repeats, report it with its details.',
  ),
  'no-transport': row(
    503,
    true,
    "The agent can't be reached.",
    'Check that it runs, then send again with the same requestId: it takes effect once.',
  ),
  'archive-off': row(
    409,
    false,
    'This copy of the book has no storage for archives.',
    'In Node, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY and name a target: s3://bucket/prefix. At the edge, bind an R2 bucket as ARCHIVE. A page has no archives.',
  ),
  'archive-denied': row(
    502,
    false,
    'The archive storage refused the credentials or the operation.',
    'Check the credentials in the environment and their rights on the bucket. details.reason is the error code of the storage.',
  ),
  'archive-clock': row(
    502,
    false,
    'The clocks of this machine and of the archive storage differ too much.',
    'Correct the clock of this machine, then try again.',
  ),
  'archive-region': row(
    502,
    false,
    'The bucket is in another region.',
    'Set AWS_REGION to the region of the bucket: details.region, if the storage reports it.',
  ),
  'archive-bucket': row(
    502,
    false,
    'The bucket does not exist.',
    'Create it, or correct the target and the address of the storage.',
  ),
  'archive-failed': row(
    502,
    true,
    'The archive storage failed.',
    'Nothing partial is visible there. Try again later.',
  ),
  'local-network-blocked': row(
    503,
    true,
    'The browser blocks this page from programs on this machine or network.',
    'Ask for the permission after a click, with localNetwork.ask(url), or allow it in the site settings. Nothing is lost.',
  ),
  'needs-page': row(
    501,
    false,
    'This entry of Daybook works in pages only.',
    'In Node, import daybook/node. In a server-rendered page, open the book in the browser only.',
  ),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable
