// A backlog of many hours, read by `daybook kafka` as a process that is killed in the middle of it: how fast, in how much
// memory, and whether each fact of it is there once at the end.
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openDaybook } from '../../../../../src/hosts/node/book/open-daybook.ts'
import { loadKafka } from '../../../../../src/hosts/node/kafka/load-kafka.ts'
import { backlogOf, expectedOf, perRound } from '../../../../support/kafka/backlog.ts'
import { type Bridge, type Said, startBridge } from './start-bridge.ts'

export interface SoakOptions {
  readonly broker: string
  readonly group: string
  /** The folder of the book. */
  readonly home: string
  /** Envelopes, a multiple of ten. */
  readonly count: number
  /** Told of each second. */
  readonly onProgress?: (progress: SoakProgress) => void
  readonly args?: readonly string[]
}

export interface SoakProgress {
  readonly received: number
  readonly lag: number | undefined
  /** What the process has in memory. */
  readonly megabytes: number
}

export interface Soaked {
  readonly perSecond: number
  /** For each second that a processor worked for it: what others on the machine do counts for nothing. */
  readonly perProcessorSecond: number
  /** The most that the process ever had in memory. */
  readonly peakMegabytes: number
  readonly results: Readonly<Record<string, number>>
  /** Facts of version 1 with five votes. */
  readonly facts: number
  /** Facts that are anything else, and proposals that were not approved. */
  readonly wrong: number
  readonly expected: ReturnType<typeof expectedOf>
}

const batch = 1000

/** Puts the backlog into the topics, which are made for it. */
export async function putBacklog({ broker, group, count }: SoakOptions): Promise<void> {
  const { Admin, Producer, stringSerializers } = await loadKafka()
  const base = { bootstrapBrokers: [broker], clientId: 'backlog' }
  const admin = new Admin(base)
  const what = ['capabilities', 'presence', 'proposals', 'votes', 'decisions', 'facts']
  const topics = what.map((one) => `group.${group}.knowledge.${one}`)
  await admin.createTopics({ topics, partitions: 3, replicas: 1 })
  await admin.close()
  const producer = new Producer({ ...base, serializers: stringSerializers })
  let messages = []
  for (const round of backlogOf(group, count / perRound, Date.now())) {
    messages.push(...round)
    if (messages.length < batch) continue
    await producer.send({ messages })
    messages = []
  }
  if (messages.length > 0) await producer.send({ messages })
  await producer.close()
}

export async function soak(options: SoakOptions): Promise<Soaked> {
  const { broker, group, home, count, args = [] } = options
  const path = join(home, 'agents/agent/memory/book.daybook')
  await admitAnyone(path)
  const start = () => startBridge({ broker, group, home, args })
  const began = performance.now()
  const peaks: number[] = []
  const cpu = new Map<number, number>()
  const first = start()
  const half = await watch(first, options, { peaks, cpu }, ({ received }) => received >= count / 2)
  first.child.kill('SIGKILL')
  await first.end
  await using second = start()
  const last = await watch(second, options, { peaks, cpu }, ({ lag, received }) => lag === 0 && received > 0)
  const seconds = (performance.now() - began) / 1000
  second.child.kill('SIGTERM')
  const { code, stderr } = await second.end
  if (code !== 0) throw new Error(`It has ended with ${code}: ${stderr}`)
  const results = Object.fromEntries(
    Object.entries(last.results).map(([name, times]) => [name, times + (half.results[name] ?? 0)]),
  )
  const received = half.received + last.received
  return {
    perSecond: Math.round(received / seconds),
    perProcessorSecond: Math.round(received / [...cpu.values()].reduce((sum, one) => sum + one, 0)),
    peakMegabytes: Math.max(...peaks),
    results,
    ...(await look(path)),
    expected: expectedOf(count / perRound),
  }
}

interface Gauges {
  readonly peaks: number[]
  /** Seconds of processor time, by process. */
  readonly cpu: Map<number, number>
}

/** Ticks in a second, as the kernel counts processor time for those who ask. */
const ticks = 100

async function watch(
  bridge: Bridge,
  { onProgress }: SoakOptions,
  { peaks, cpu }: Gauges,
  isOver: (line: Said) => boolean,
): Promise<Said> {
  return bridge.said((line) => {
    if (line.event === 'ended') throw new Error('It has ended.')
    const { pid = 0 } = bridge.child
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    // What stands before the last parenthesis is its name.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    cpu.set(pid, (Number(stat[11]) + Number(stat[12])) / ticks)
    const megabytes = (name: string) =>
      Math.round(Number(RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
    peaks.push(megabytes('VmHWM'))
    onProgress?.({ received: line.received, lag: line.lag, megabytes: megabytes('VmRSS') })
    return isOver(line)
  })
}

/** What has become of the backlog in the book of the bridge. */
/** The claws of the backlog are new to the book. */
async function admitAnyone(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await using book = await openDaybook({ name: 'agent', agent: 'agent', path })
  await book.pool.configure({ admission: 'anyone' })
}

async function look(path: string): Promise<Pick<Soaked, 'facts' | 'wrong'>> {
  const book = await openDaybook({ name: 'agent', agent: 'agent', path })
  try {
    let facts = 0
    let wrong = 0
    let cursor: string | undefined
    do {
      const page = await book.pool.facts({ limit: 100, cursor })
      for (const { version, votes } of page.facts) {
        if (version === 1 && votes.yes === 5 && votes.no === 0) facts += 1
        else wrong += 1
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    return { facts, wrong }
  } finally {
    await book.close()
  }
}
