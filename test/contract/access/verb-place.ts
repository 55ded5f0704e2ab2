// Where each verb runs, said once more on purpose, and tried on every host: a verb that does not run there says so.
import { describe, expect, it } from 'vitest'
import type { VerbPlace } from '../../../src/core/capability/capability.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import { type BookCase, failure } from '../book-case.ts'

type VerbId = (typeof capabilityTable)[number]['id']

/** Everything else runs at every copy of a book. */
export const verbPlaces: { readonly [Id in VerbId]?: Exclude<VerbPlace, 'anywhere'> } = {
  'kstar:grant_control_token': 'keys',
  'seal:unlock': 'keys',
  'seal:lock': 'keys',
  'seal:guard': 'keys',
  'seal:export_keys': 'keys',
  'seal:import_keys': 'keys',
  'seal:rotate': 'keys',
  'daybook:erase': 'device',
  'daybook:start_over': 'device',
  'activity:list': 'device',
  'activity:get': 'device',
  'activity:of_record': 'device',
  'a2p:maintain': 'device',
  'rule:find': 'device',
  'pool:propose': 'device',
  'pool:publish': 'device',
  'pool:vote': 'device',
  'pool:announce': 'device',
  'pool:claws': 'device',
  'pool:who_can': 'device',
  'pool:take_in': 'device',
  'pool:audit': 'device',
  'pool:admit': 'device',
  'pool:let_go': 'device',
  'pool:re_key': 'device',
  'daybook:sync': 'device',
  'daybook:list_dead_letters': 'device',
  'daybook:retry_dead_letters': 'device',
  'daybook:list_outbox': 'device',
}

/** What a host of books is: a device of the owner or a mirror, with private keys of the book or without. */
export interface HostPlace {
  readonly role?: 'device' | 'mirror'
  readonly signs?: boolean
}

/** What a verb answers at `place` to somebody who may call it, and gives it an input that none takes. */
export function letIn(id: string, { role = 'device', signs = true }: HostPlace) {
  const { [id as VerbId]: runs = role } = verbPlaces
  return runs === role || (runs === 'keys' && signs) ? 'invalid-input' : 'runs-elsewhere'
}

export function verbPlaceCases({ book: open }: BookCase, place: HostPlace): void {
  const { role = 'device' } = place
  describe('where a verb runs', () => {
    it('stands in the table, and nothing of it is begun elsewhere', async () => {
      const book = await open()
      for (const { id, runs = 'anywhere' } of capabilityTable as readonly {
        readonly id: VerbId
        readonly runs?: VerbPlace
      }[]) {
        expect([id, runs]).toEqual([id, verbPlaces[id] ?? 'anywhere'])
        // What gets as far as its input is refused for that.
        const { code, details } = await failure(book.call(id as string, { 'no such field': true }))
        expect([id, code]).toEqual([id, letIn(id, place)])
        if (code === 'runs-elsewhere') expect(details).toEqual({ path: 'capability', runs, here: role })
      }
    })

    it('is told to those alone who may call it', async () => {
      const book = await open()
      const { token } = await book.tokens.grant({
        scope: 'meeting-room',
        permissions: ['read'],
        granted_to: 'helper',
        expires_at: '2099-01-01T00:00:00Z',
      })
      const as = { as: token.token_id }
      expect((await failure(book.sync({}, as))).code).toBe('forbidden')
      if (role === 'mirror') expect((await failure(book.sync())).code).toBe('runs-elsewhere')
      // The meeting room is everywhere: its mirror is where all of it come together.
      expect(await book.room.hear({}, as)).toMatchObject({ message: null })
    })
  })
}
