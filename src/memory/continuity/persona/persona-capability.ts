// The verbs of personas: register, identify the persona of the call, list all.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { instant } from '../../../shape/field.ts'
import {
  callingPersona,
  listPersonas,
  needPersona,
  notReady,
  ownedBy,
  type Persona,
  personaId,
  readableOne,
} from './persona.ts'
import { called, personaKind, personaLimit, personaName, personaRole } from './persona-kind.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

const personaShown = z.object({
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

type Reading = { readonly records: Pick<RecordReader, 'query' | 'count'> }

const shown = (at: Reading, persona: Persona) => ({
  ci_id: persona.ciId,
  name: persona.name,
  role: persona.role,
  description: persona.description,
  time_zone: persona.zone.name,
  registered_at: persona.registered_at,
  sessions: sessionsOf(at, persona),
  scope: { agent: persona.agents[0] },
})

const sessionsOf = ({ records }: Reading, persona: Persona) =>
  records.count({ kind: 'agent_session', filters: ownedBy(persona), by: 'none' }).total

const details = {
  role: personaRole.optional(),
  description: z.string().min(1).max(personaLimit.description).optional(),
}

type Details = { readonly role?: string | undefined; readonly description?: string | undefined }

/** Throws `conflict` if role or description of a second registration differ from the first. */
function needSame(persona: Persona, input: Details): void {
  for (const field of ['role', 'description'] as const) {
    const [before, now] = [persona[field], input[field]]
    if (now === undefined || before === now) continue
    const message = `${persona.name} is registered with another ${field}. Leave it out, or pass \`update: true\` to change it; the id stays the same.`
    throw notReady('already-initialized', message, {
      path: field,
      [field]: before ?? null,
      ci_id: persona.ciId,
    })
  }
}

const detailsOf = ({ role, description }: Details) => defined({ role, description })

/** Changes role and description. Call it in a transaction. */
function update({ records }: WriteContext<'records'>, { ciId }: Persona, input: Details): void {
  const current = readableOne(personaKind, records.get(ciId))
  if (!current) return
  const { name, time_zone, registered_at } = current
  const before = detailsOf(current)
  records.put({
    kind: 'persona',
    id: ciId,
    body: { name, time_zone, registered_at, ...before, ...detailsOf(input) },
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
      ...details,
      /** True: changes role and description. False: other values are a conflict. */
      update: z.boolean().default(false),
    }),
    output: z.object({ ...personaShown.shape, isNew: z.boolean() }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ name, update: mayChange, ...given }, at) {
      const find = () => {
        const all = listPersonas(at)
        if (at.call.caller.role === 'owner')
          return all.find((one) => one.key[0] === 'name' && one.name === name)
        const own = callingPersona(at, all)
        if (own && own.name !== name)
          throw notReady(
            'already-initialized',
            `This token belongs to ${own.name}; register under that name.`,
            {
              path: 'name',
              ci_id: own.ciId,
            },
          )
        return own
      }
      const before = find()
      if (before && !mayChange) needSame(before, given)
      await at.records.write((writer) => {
        if (before) return mayChange ? update(writer, before, given) : undefined
        const id = personaId(name, at.call.now)
        const agent = at.call.caller.role === 'owner' ? id : at.call.scope.agent
        const body = { name, ...detailsOf(given), time_zone: at.call.zone.name, registered_at: at.call.now }
        // Two registrations of one name in one second have the same id, and make one record.
        const recordName = { kind: 'persona', id, scopes: [`agent:${agent}`] }
        if (!writer.records.find(recordName))
          writer.records.put({ kind: 'persona', name: recordName, body, scope: { agent } })
        return undefined
      })
      const persona = find()
      if (!persona)
        throw notReady(
          'not-initialized',
          "The caller can't read the persona it registered; check the scope of its token.",
        )
      return { ...shown(at, persona), isNew: before === undefined }
    },
  }),
  readVerb({
    id: 'katra:whoami',
    method: 'personas.whoami',
    summary: 'Returns the persona and the session of the call.',
    input: z.strictObject({ persona: called }).prefault({}),
    output: z.object({ ...personaShown.shape, session: z.string().nullable() }),
    run({ persona: named }, at) {
      const persona = needPersona(at, named)
      const { session } = at.call.scope
      const open = at.records.query({
        kind: 'agent_session',
        filters: { ...ownedBy(persona), state: 'open' },
        limit: 1000,
      }).records
      const own = open.find(({ id }) => id === session) ?? (open.length === 1 ? open[0] : undefined)
      return { ...shown(at, persona), session: own?.id ?? null }
    },
  }),
  readVerb({
    id: 'katra:list_personas',
    method: 'personas.list',
    summary: 'Lists the personas of the book, by name.',
    input: z.strictObject({}).prefault({}),
    output: z.object({ personas: z.array(personaShown) }),
    run: (_input, at) => ({ personas: listPersonas(at).map((one) => shown(at, one)) }),
  }),
] as const
