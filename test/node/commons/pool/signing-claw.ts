// Claws that sign, before a book in which some of them are admitted.
import type { Engine } from '../../../../src/engine/engine.ts'
import { signEnvelope } from '../../../../src/commons/pool/service/carrier-pump.ts'
import { openNodeKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { ask, handIn, type World } from './pool-world.ts'

/** A type, a payload, and what else the envelope has. */
type Word = readonly [type: string, payload: object, more?: object | undefined]

/** Somebody with a key of their own, who may speak under any name. */
export function someone(world: World) {
  const keys = openNodeKeyring(undefined)
  return {
    key: async () => (await keys.signer())?.key ?? '',
    async say(engine: Engine, claw: string, [type, payload, more = {}]: Word) {
      const text = await signEnvelope(JSON.stringify(world.envelope(claw, type, payload, more)), keys)
      return handIn(engine, JSON.parse(text) as object)
    },
  }
}
export type Someone = ReturnType<typeof someone>

export const proposal = {
  proposalId: 'kp-1',
  group: 'daybook',
  statement: 'The disk is full.',
  tags: ['ops'],
}
export const here = { status: 'active' }
export const vote = (said: string, n = 1) => ({ proposalId: 'kp-1', vote: said, n })

interface Ballot {
  readonly claw: string
  readonly vote: string
}
interface View {
  readonly state: string
  readonly ballots: readonly Ballot[]
}
export const view = async (engine: Engine) =>
  (await ask<{ proposals: View[] }>(engine, 'pool:list_proposals')).proposals[0]
export const ballots = async (engine: Engine) =>
  ((await view(engine))?.ballots ?? []).map(({ claw, vote: said }) => `${claw} ${said}`).toSorted()
export const pool = (engine: Engine) =>
  ask<{
    active: number
    admission: string
    asking: { claw: string; key: string }[]
    claws: { claw: string; standing: string; keys: string[] }[]
  }>(engine, 'pool:claws')

export const admit = async (engine: Engine, claw: string, who: Someone) =>
  ask<object>(engine, 'pool:admit', { claw, key: await who.key() })

/** A book in which these claws count and are there, `ada` having proposed. */
export async function openWith(world: World, names: readonly string[]) {
  const engine = world.open()
  const claws = new Map(names.map((name) => [name, someone(world)] as const))
  for (const [name, who] of claws) {
    await admit(engine, `${name}@far`, who)
    await who.say(engine, `${name}@far`, ['presence', here])
  }
  await claws.get('ada')?.say(engine, 'ada@far', ['proposal', proposal])
  const say = (name: string, type: string, payload: object, more?: object) => {
    const who = claws.get(name)
    if (!who) throw new Error(`There is no ${name}.`)
    return who.say(engine, `${name}@far`, [type, payload, more])
  }
  return { engine, say, claws }
}
