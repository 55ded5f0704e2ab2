// What is said on a live line is frozen too: it changes only with a line in its history, and what was recorded is
// still read.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { carrierFrame } from '../../../src/commons/pool/service/channel-carrier.ts'
import { readIncoming } from '../../../src/commons/pool/take/take-envelope.ts'
import { verifyingKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { signedEnvelopeText } from '../../../src/shape/envelope.ts'
import {
  deviceFrame,
  liveProtocols,
  mirrorFrame,
  protocolOf,
  parseDeviceFrame,
  parseMirrorFrame,
  ticketAnswer,
  ticketRequest,
} from '../../../src/sync/wire/live-wire.ts'
import { liveHistory } from '../../../src/sync/wire/wire-history.ts'

interface Recorded {
  readonly talk: readonly Record<string, unknown>[]
  /** What is no talk of this version. */
  readonly left: readonly object[]
  /** What is signed of the envelope in it. */
  readonly canonical: string
}

const recorded = JSON.parse(readFileSync(new URL('line/line-2.json', import.meta.url), 'utf8')) as Recorded
const envelope = recorded.talk.find((said) => 'envelope' in said)?.['envelope'] as Record<string, unknown>
const verify = verifyingKeyring.verify.bind(verifyingKeyring)

describe('the live line', () => {
  it('O4 O6 O13 is what the last line of its history says', () => {
    const schema = z.toJSONSchema(
      z.object({ deviceFrame, mirrorFrame, ticketRequest, ticketAnswer, talk: carrierFrame }),
      {
        unrepresentable: 'any',
        io: 'input',
      },
    )
    const hash = createHash('sha256').update(JSON.stringify(schema)).digest('hex')
    const last = liveHistory.at(-1)
    expect(
      last,
      'What is said on a line has changed: add a line to wire-history.ts, and record what was said before.',
    ).toMatchObject({ hash })
    expect(protocolOf(last?.version ?? 1)).toBe(liveProtocols[0])
    expect(new Set(liveHistory.map((one) => one.hash)).size).toBe(liveHistory.length)
  })

  it.each(recorded.talk)('O13 still carries and reads %j', (data) => {
    const said = { type: 'envelope', data }
    const heard = { ...said, from: { device: 'd_phone' } }
    expect(parseDeviceFrame(JSON.stringify(said))).toEqual(said)
    expect(parseMirrorFrame(JSON.stringify(heard))).toEqual(heard)
    expect(carrierFrame.parse(data)).toEqual(data)
  })

  it.each(recorded.left)('O13 leaves alone %j', (data) => {
    expect(carrierFrame.safeParse(data).success).toBe(false)
  })

  it('O14 has envelopes whose signature is that of everything else in them, as it was said', async () => {
    expect(signedEnvelopeText(envelope)).toBe(recorded.canonical)
    const arrive = async (changed: object) => {
      const { reading, hasValidSignature: isSigned } = await readIncoming(
        JSON.stringify({ ...envelope, ...changed }),
        verify,
      )
      return reading.refused ?? isSigned
    }
    expect(await arrive({})).toBe(true)
    // A field that is not known is signed too.
    expect(await arrive({ later: { added: false } })).toBe(false)
    expect(await arrive({ more: 1 })).toBe(false)
    expect(await arrive({ clawId: 'eve@garden' })).toBe(false)
    expect(await arrive({ pad: 'x'.repeat(65_536) })).toBe('larger than 65536 bytes')
    expect(await arrive({ schemaVersion: 'v2' })).toBe('unsupported schemaVersion: v2')
  })
})
