// The verbs of personas: register, say who one is, list all.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { instant } from '../../../shape/instant.ts'
import { personaId } from './persona-id.ts'
import { personaKind, personaLimit } from './persona-kind.ts'
import { callingPersona, listPersonas, needPersona, notReady, ownedBy, type Persona } from './persona.ts'
import { readableOne } from './readable.ts'
import { called, personaName, personaRole } from './text-shape.ts'

const known = z.object({
  /** Never changes: `mcp_Alice_1f0c3a9b_1762459864`. */
  ci_id: z.string(),
  name: z.string(),
  role: z.string().optional(),
  description: z.string().optional(),
  time_zone: z.string(),
  registered_at: instant,
  /** How many were started, on all devices as far as they have synced. */
  sessions: z.number(),
  /** What a handle of it is made with: `book.with(scope)`. */
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

type Asked = { readonly role?: string | undefined; readonly description?: string | undefined }

/** A second registration says the same as the first, or less. */
function needSame(persona: Persona, asked: Asked): void {
  for (const field of ['role', 'description'] as const) {
    const [before, now] = [persona[field], asked[field]]
    if (now === undefined || before === now) continue
    const message = `${persona.name} is registered with another ${field}. Leave it out, or say \`update: true\` to change it; the id stays.`
    throw notReady('already-initialized', message, {
      path: field,
      [field]: before ?? null,
      ci_id: persona.ciId,
    })
  }
}

const said = ({ role, description }: Asked) => ({
  ...(role === undefined ? {} : { role }),
  ...(description === undefined ? {} : { description }),
})

/** Inside the transaction that writes it. */
function update({ records }: WriteContext<'records'>, { ciId }: Persona, asked: Asked): void {
  const known = readableOne(personaKind, records.get(ciId))
  if (!known) return
  const { name, time_zone, registered_at } = known
  const kept = said(known)
  records.put({
    kind: 'persona',
    id: ciId,
    body: { name, time_zone, registered_at, ...kept, ...said(asked) },
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
      /** True: role and description become these. Without it, others than before are a conflict. */
      update: z.boolean().default(false),
    }),
    output: z.object({ ...known.shape, is_new: z.boolean() }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ name, update: mayChange, ...asked }, at) {
      const find = () => {
        const all = listPersonas(at)
        if (at.call.caller.role === 'owner')
          return all.find((one) => one.key[0] === 'name' && one.name === name)
        const own = callingPersona(at, all)
        if (own && own.name !== name)
          throw notReady('already-initialized', `This token is ${own.name}'s.`, {
            path: 'name',
            ci_id: own.ciId,
          })
        return own
      }
      const before = find()
      if (before && !mayChange) needSame(before, asked)
      await at.records.write((writer) => {
        if (before) return mayChange ? update(writer, before, asked) : undefined
        const id = personaId(name, at.call.now)
        const agent = at.call.caller.role === 'owner' ? id : at.call.scope.agent
        const body = { name, ...said(asked), time_zone: at.call.zone.name, registered_at: at.call.now }
        // Registered twice in one second is registered once.
        const known = { kind: 'persona', id, scopes: [`agent:${agent}`] }
        if (!writer.records.find(known))
          writer.records.put({ kind: 'persona', name: known, body, scope: { agent } })
        return undefined
      })
      const persona = find()
      if (!persona) throw notReady('not-initialized', 'The persona is not seen by who registered it.')
      return { ...shown(at, persona), is_new: before === undefined }
    },
  }),
  defineCapability({
    id: 'katra:whoami',
    permission: 'read',
    methods: ['personas.whoami'],
    summary: 'Says which persona the call is made as, and the session it is in.',
    input: z.strictObject({ persona: called }).prefault({}),
    output: z.object({ ...known.shape, session: z.string().nullable() }),
    effect: 'read',
    uses: ['records'],
    run({ persona: asked }, at) {
      const persona = needPersona(at, asked)
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
  defineCapability({
    id: 'katra:list_personas',
    permission: 'read',
    methods: ['personas.list'],
    summary: 'Lists the personas of the book, by name.',
    input: z.strictObject({}).prefault({}),
    output: z.object({ personas: z.array(known) }),
    effect: 'read',
    uses: ['records'],
    run: (_input, at) => ({ personas: listPersonas(at).map((one) => shown(at, one)) }),
  }),
] as const
