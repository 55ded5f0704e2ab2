// The verbs of personas: register, identify the persona of the call, list all.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { instant } from '../../../shape/field.ts'
import {
  callingPersona,
  isOwnSession,
  listPersonas,
  requirePersona,
  wrongStateError,
  personaFilter,
  type Persona,
  personaId,
  parseRecord,
} from './persona.ts'
import { personaRefInput, personaKind, personaLimits, personaName, personaRole } from './persona-kind.ts'
import { hasLeft } from './presence.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

const personaOutput = z.object({
  /** Id of the persona, which never changes: `mcp_Alice_1f0c3a9b_1762459864`. */
  ci_id: z.string(),
  name: z.string(),
  role: z.string().optional(),
  description: z.string().optional(),
  time_zone: z.string(),
  registered_at: instant,
  /** Number of sessions, on all synced devices. */
  sessions: z.number(),
  /** Scope for a handle of this persona: `book.with(scope)`. */
  scope: z.object({ agent: z.string() }),
})

type ReadContext = { readonly records: Pick<RecordReader, 'query' | 'count'> }

const toOutput = (at: ReadContext, persona: Persona) => ({
  ci_id: persona.ciId,
  name: persona.name,
  role: persona.role,
  description: persona.description,
  time_zone: persona.zone.name,
  registered_at: persona.registered_at,
  sessions: countSessions(at, persona),
  scope: { agent: persona.agents[0] },
})

const countSessions = ({ records }: ReadContext, persona: Persona) =>
  records.count({ kind: 'agent_session', filters: personaFilter(persona), by: 'none' }).total

const detailInputs = {
  role: personaRole.optional(),
  description: z.string().min(1).max(personaLimits.description).optional(),
}

type Details = { readonly role?: string | undefined; readonly description?: string | undefined }

/** Throws `conflict` if role or description of a second registration differ from the first. */
function assertSameDetails(persona: Persona, input: Details): void {
  for (const field of ['role', 'description'] as const) {
    const [before, newValue] = [persona[field], input[field]]
    if (newValue === undefined || before === newValue) continue
    const message = `${persona.name} is registered with another ${field}. Leave it out, or pass \`update: true\` to change it; the id stays the same.`
    throw wrongStateError('already-initialized', message, {
      path: field,
      [field]: before ?? null,
      ci_id: persona.ciId,
    })
  }
}

/** Role and description, without undefined ones. */
const detailsOf = ({ role, description }: Details) => defined({ role, description })

/** Changes role and description. Call it in a transaction. */
function updatePersona({ records }: WriteContext<'records'>, { ciId }: Persona, input: Details): void {
  const current = parseRecord(personaKind, records.get(ciId))
  if (!current) return
  const { name, time_zone, registered_at } = current
  const currentDetails = detailsOf(current)
  records.put({
    kind: 'persona',
    id: ciId,
    body: { name, time_zone, registered_at, ...currentDetails, ...detailsOf(input) },
  })
}

export const personaCapabilities = [
  defineCapability({
    id: 'katra:register',
    permission: 'write',
    methods: ['personas.register'],
    summary: 'Registers a persona, or finds the one of that name; its id never changes.',
    input: z.strictObject({
      name: personaName,
      ...detailInputs,
      /** True: changes role and description. False: other values are a conflict. */
      update: z.boolean().default(false),
    }),
    output: z.object({ ...personaOutput.shape, isNew: z.boolean() }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ name, update: mayChange, ...details }, at) {
      const findPersona = () => {
        const personas = listPersonas(at)
        // The owner finds only personas that it registered: two tokens may register the same name.
        if (at.call.caller.role === 'owner')
          return personas.find((candidate) => candidate.key[0] === 'name' && candidate.name === name)
        const callerPersona = callingPersona(at, personas)
        if (callerPersona && callerPersona.name !== name)
          throw wrongStateError(
            'already-initialized',
            `This token belongs to ${callerPersona.name}; register under that name.`,
            {
              path: 'name',
              ci_id: callerPersona.ciId,
            },
          )
        return callerPersona
      }
      const existing = findPersona()
      if (existing && !mayChange) assertSameDetails(existing, details)
      await at.records.write((writer) => {
        if (existing) return mayChange ? updatePersona(writer, existing, details) : undefined
        const id = personaId(name, at.call.now)
        const agent = at.call.caller.role === 'owner' ? id : at.call.scope.agent
        const body = { name, ...detailsOf(details), time_zone: at.call.zone.name, registered_at: at.call.now }
        // Two registrations of one name in one second have the same id, and make one record.
        const recordName = { kind: 'persona', id, scopes: [`agent:${agent}`] }
        if (!writer.records.find(recordName))
          writer.records.put({ kind: 'persona', name: recordName, body, scope: { agent } })
        return undefined
      })
      const persona = findPersona()
      if (!persona)
        throw wrongStateError(
          'not-initialized',
          "The caller can't read the persona it registered; check the scope of its token.",
        )
      return { ...toOutput(at, persona), isNew: existing === undefined }
    },
  }),
  readVerb({
    id: 'katra:whoami',
    method: 'personas.whoami',
    summary: 'Returns the persona and the session of the call.',
    input: z.strictObject({ persona: personaRefInput }).prefault({}),
    /** `session`: the call's session, else the persona's only open one; null without one. */
    output: z.object({
      ...personaOutput.shape,
      session: z.string().nullable(),
      /** Ids of the persona's other open sessions, as in another window. */
      alsoIn: z.array(z.string()),
    }),
    uses: ['records', 'room', 'status'],
    async run({ persona: personaRef }, at) {
      const persona = requirePersona(at, personaRef)
      const { session } = at.call.scope
      const unended = at.records.query({
        kind: 'agent_session',
        filters: { ...personaFilter(persona), state: 'open' },
        limit: 1000,
      }).records
      const isOwn = isOwnSession(at, persona)
      // A session whose connection is gone has ended; its end is written later. The persona itself may continue it after a
      // restart; the guests of a token share one agent, so a guest can't tell its own.
      const areGone = await Promise.all(unended.map((one) => hasLeft(at, persona, one)))
      const isSelf = at.call.caller.role === 'owner' && persona.agents.includes(at.call.scope.agent)
      const openSessions = unended.filter((one, i) => !areGone[i] || (isSelf && isOwn(one)))
      const ownSessions = openSessions.filter(isOwn)
      const openSession =
        openSessions.find(({ id }) => id === session) ??
        (ownSessions.length === 1 ? ownSessions[0] : undefined)
      const own = openSession?.id ?? null
      return {
        ...toOutput(at, persona),
        session: own,
        alsoIn: openSessions.map(({ id }) => id).filter((id) => id !== own),
      }
    },
  }),
  readVerb({
    id: 'katra:list_personas',
    method: 'personas.list',
    summary: 'Lists the personas of the book, by name.',
    input: z.strictObject({}).prefault({}),
    output: z.object({ personas: z.array(personaOutput) }),
    run: (_input, at) => ({ personas: listPersonas(at).map((persona) => toOutput(at, persona)) }),
  }),
] as const
