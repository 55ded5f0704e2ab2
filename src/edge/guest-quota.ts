// Storage quotas of guests, from the settings of an edge.
import { DaybookError } from '../core/errors.ts'
import { defaultQuotas, type GuestQuotas, type Quota } from '../store/guest-usage.ts'
import type { EdgeEnv } from './edge-env.ts'

type QuotaSettings = {
  readonly [Name in 'DAYBOOK_GUEST_QUOTA' | 'DAYBOOK_GUESTS_QUOTA']?: EdgeEnv[Name] | undefined
}

/** Examples in error messages: the defaults. */
const examples = { DAYBOOK_GUEST_QUOTA: '100000/64', DAYBOOK_GUESTS_QUOTA: '400000/256' } as const

/** Reads the quotas, records and mebibytes as in `100000/64`. Throws `internal` for another form. */
export function parseQuotas(settings: QuotaSettings): GuestQuotas {
  // `guest`: of one guest; `guests`: of all guests together.
  return {
    guest: parseQuota(settings, 'DAYBOOK_GUEST_QUOTA') ?? defaultQuotas.guest,
    guests: parseQuota(settings, 'DAYBOOK_GUESTS_QUOTA') ?? defaultQuotas.guests,
  }
}

function parseQuota(settings: QuotaSettings, name: keyof typeof examples): Quota | undefined {
  const text = settings[name]
  if (text === undefined || text === '') return undefined
  const [, records, mebibytes] = /^(\d{1,9})\/(\d{1,6})$/.exec(text) ?? []
  if (records !== undefined && mebibytes !== undefined)
    return { records: Number(records), bytes: Number(mebibytes) * 1_048_576 }
  throw new DaybookError(
    'internal',
    `\`${name}\` must look like \`${examples[name]}\`: records and mebibytes.`,
  )
}
