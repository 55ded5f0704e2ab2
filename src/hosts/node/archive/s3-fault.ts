// Translates refusals of S3 to codes of the error table.
// Invariant: an error has only the storage's error code and a region name; the rest of an answer may quote
// signed data.
import { defined } from '../../../core/defined.ts'
import { DaybookError, type ErrorCode } from '../../../core/errors.ts'
import { readXml, textOf } from './strict-xml.ts'

/** An unsuccessful answer of the storage. */
export interface S3Refusal {
  readonly status: number
  /** S3's error code, as `NoSuchKey`. An answer without a code gets a name for its status, as `HTTP 503`. */
  readonly code: string
  /** The region of the bucket, if the answer names it. */
  readonly region?: string | undefined
}

/** Codes of the error table, by S3's error code. */
const codes: Readonly<Record<string, ErrorCode>> = {
  RequestTimeTooSkewed: 'archive-clock',
  AuthorizationHeaderMalformed: 'archive-region',
  PermanentRedirect: 'archive-region',
  TemporaryRedirect: 'archive-region',
  IllegalLocationConstraintException: 'archive-region',
  IncorrectEndpoint: 'archive-region',
  NoSuchBucket: 'archive-bucket',
  NoSuchKey: 'not-found',
  PreconditionFailed: 'conflict',
  ConditionalRequestConflict: 'conflict',
  EntityTooLarge: 'too-large',
}

/** S3's error codes for a wrong key, a wrong secret or a missing right, with any status. */
const denials =
  /^(?:AccessDenied|AccountProblem|AllAccessDisabled|Expired\w*|Invalid(?:AccessKeyId|Token|Security)|NotSignedUp|Signature\w*|Unauthorized|Forbidden|TokenRefreshRequired|XAdminUserNotFound)$/

/** Reads an unsuccessful answer. `header` gets a response header by name. */
export function readRefusal(
  status: number,
  body: string,
  header: (name: string) => string | null,
): S3Refusal {
  const root = readXml(body)
  const found = root?.name === 'Error' ? root : undefined
  const text = textOf(found, 'Code') ?? ''
  const region = textOf(found, 'Region') ?? header('x-amz-bucket-region') ?? undefined
  return {
    status,
    code: /^[A-Za-z][A-Za-z0-9.]{0,63}$/.test(text) ? text : nameOf(status),
    region: region !== undefined && /^[a-z0-9-]{1,64}$/i.test(region) ? region : undefined,
  }
}

function nameOf(status: number): string {
  if (status === 401 || status === 403) return 'Forbidden'
  if (status === 301 || status === 307 || status === 308) return 'PermanentRedirect'
  if (status === 412) return 'PreconditionFailed'
  return `HTTP ${status}`
}

/** The code in the error table. A malformed header without a region name means a wrong credential. */
function codeOf({ code, status, region }: S3Refusal): ErrorCode {
  if (code === 'AuthorizationHeaderMalformed' && region === undefined) return 'archive-denied'
  return (
    codes[code] ??
    (denials.test(code) || status === 401 || status === 403 ? 'archive-denied' : 'archive-failed')
  )
}

/** Messages that differ from those of the error table. */
const words: { readonly [Code in ErrorCode]?: string } = {
  'not-found': 'There is no archive with that key.',
  conflict: 'An archive with that key exists already; it was not overwritten.',
  'too-large': 'The archive is larger than the storage accepts.',
}

/** The error for a refusal. `place` and `key` are in its details. */
export function s3Fault(refusal: S3Refusal, place: string, key?: string): DaybookError {
  const { status, code: reason, region } = refusal
  const code = codeOf(refusal)
  return new DaybookError(code, words[code], {
    details: {
      place,
      reason,
      status,
      ...defined({ region, key }),
    },
  })
}
