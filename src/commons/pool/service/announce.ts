// Saying who is there and what it can do: the agent of the book, and those of its other agents that have acted since it began.
import { formatTime } from '../../../core/time.ts'
import { type Scene, headFor, nameAsWritten, put, readClaw, say } from '../take/pool-context.ts'
import { type ClawBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'

/** The claws of this book that this engine speaks for. */
function ownClaws({ pool, own }: Scene): string[] {
  const here = pool.presence().filter((one) => one.own && one.instance === pool.self.instance)
  return [...new Set([own, ...here.map(({ claw }) => claw)])]
}

export function sayPresence(scene: Scene, status: 'active' | 'stopping'): void {
  const { config, now } = scene
  const updatedAt = formatTime(now)
  for (const claw of ownClaws(scene)) {
    present(scene, claw, status)
    const key = `knowledge:presence:${claw}:${scene.pool.self.instance}:${Math.floor(now / 1000)}`
    say(scene, {
      ...headFor(scene, { claw, key }),
      type: 'presence',
      payload: { group: config.group, status, displayName: readClaw(scene, claw)?.display_name, updatedAt },
    })
  }
}

/** Notes that an agent of this book is there. */
export function present({ pool, now }: Scene, claw: string, status: 'active' | 'stopping' = 'active'): void {
  pool.own(claw)
  pool.present({ claw, instance: pool.self.instance, at: now, status, own: true })
}

export function sayCapabilities(scene: Scene, only?: string): void {
  const { config, pool, now } = scene
  for (const claw of only === undefined ? ownClaws(scene) : [only]) {
    const known = readClaw(scene, claw)
    if (!known) continue
    const key = `knowledge:capabilities:${claw}:${pool.self.instance}:${Math.floor(now / 1000)}`
    const { display_name: displayName, model, capabilities } = known
    const keys = readClaw(scene, scene.own)?.keys
    const payload = { group: config.group, displayName, model, capabilities, updatedAt: formatTime(now) }
    say(scene, {
      ...headFor(scene, { claw, key }),
      type: 'capabilities',
      payload: keys ? { ...payload, keys } : payload,
    })
  }
}

/** Sees to it that the claw of this book is known, with the key of this device. */
export function introduce(scene: Scene, key: string | undefined): void {
  const { own, config, now, pool } = scene
  const known = readClaw(scene, own)
  const isSame = known?.group === config.group && (key === undefined || known.keys?.includes(key))
  if (isSame) return
  const at = formatTime(now)
  const name = config.display_name ?? nameAsWritten(scene, pool.self.agent)
  const body: ClawBody = known ?? {
    claw: own,
    by: pool.self.agent,
    group: config.group,
    ...(name === undefined ? {} : { display_name: name }),
    ...(config.model === undefined ? {} : { model: config.model }),
    capabilities: [],
    first_seen_at: at,
    announced_at: at,
  }
  const keys = key === undefined ? known?.keys : [...new Set([...(known?.keys ?? []), key])]
  put(scene, 'pool_claw', recordIds.claw(own), { ...body, group: config.group, ...(keys ? { keys } : {}) })
  pool.own(own)
}
