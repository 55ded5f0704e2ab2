// What S3 says when it refuses, in the words of the table of errors. Invariant: of what the storage answers only its code and
// the name of a region go into an error: the rest may quote what was signed, and with what.
import { DaybookError, type ErrorCode } from '../../../core/errors.ts'
import { readXml, textOf } from './strict-xml.ts'

/** One answer that is no success. */
export interface S3Refusal {
  readonly status: number
  /** As S3 calls it: `NoSuchKey`; `HTTP 503` where it has no name for it. */
  readonly code: string
  readonly region?: string | undefined
}

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

/** Codes that stand for a wrong key, a wrong secret, or a right that is missing, whatever their status. */
const denials =
  /^(?:AccessDenied|AccountProblem|AllAccessDisabled|Expired\w*|Invalid(?:AccessKeyId|Token|Security)|NotSignedUp|Signature\w*|Unauthorized|Forbidden|TokenRefreshRequired|XAdminUserNotFound)$/

/** Reads what an answer that is no success says of itself. */
export function readRefusal(
  status: number,
  body: string,
  header: (name: string) => string | null,
): S3Refusal {
  const root = readXml(body)
  const found = root?.name === 'Error' ? root : undefined
  const given = textOf(found, 'Code') ?? ''
  const region = textOf(found, 'Region') ?? header('x-amz-bucket-region') ?? undefined
  return {
    status,
    code: /^[A-Za-z][A-Za-z0-9.]{0,63}$/.test(given) ? given : nameOf(status),
    region: region !== undefined && /^[a-z0-9-]{1,64}$/i.test(region) ? region : undefined,
  }
}

function nameOf(status: number): string {
  if (status === 401 || status === 403) return 'Forbidden'
  if (status === 301 || status === 307 || status === 308) return 'PermanentRedirect'
  if (status === 412) return 'PreconditionFailed'
  return `HTTP ${status}`
}

/** What it says of a region while it names none is about something else in the header. */
function codeOf({ code, status, region }: S3Refusal): ErrorCode {
  if (code === 'AuthorizationHeaderMalformed' && region === undefined) return 'archive-denied'
  return (
    codes[code] ??
    (denials.test(code) || status === 401 || status === 403 ? 'archive-denied' : 'archive-failed')
  )
}

const words: { readonly [Code in ErrorCode]?: string } = {
  'not-found': 'There is no archive of that key.',
  conflict: 'There is an archive of that key already; nothing was written over it.',
  'too-large': 'The archive is larger than the storage takes.',
}

/** The error that a refusal is; `place` says where, `key` of what. */
export function s3Fault(refusal: S3Refusal, place: string, key?: string): DaybookError {
  const { status, code: reason, region } = refusal
  const code = codeOf(refusal)
  return new DaybookError(code, words[code], {
    details: {
      place,
      reason,
      status,
      ...(region === undefined ? {} : { region }),
      ...(key === undefined ? {} : { key }),
    },
  })
}
