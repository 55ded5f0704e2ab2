// Tells whoever listens that an agent asks to read, and what was decided: once for each state, wherever it came about.
import type { Service, ServiceParts } from '../../../core/capability/service.ts'
import { bodyOf } from '../../../core/record.ts'
import { accessRequestBody } from './policy-kind.ts'

/** As many are remembered as told of. */
const toldLimit = 1000

export function createConsentFeed({ records, tell }: ServiceParts): Service {
  const told = new Map<string, string>()
  return {
    name: 'consent feed',
    changed(id, kind) {
      if (kind !== 'access_request') return
      const record = records.get(id)
      const body = record && accessRequestBody.safeParse(bodyOf(record)).data
      if (!body || told.get(id) === body.status) return
      if (told.size >= toldLimit) told.delete(told.keys().next().value ?? '')
      told.set(id, body.status)
      tell('consent', { id, agent: body.asked_by, status: body.status })
    },
  }
}
