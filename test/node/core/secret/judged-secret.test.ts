// How well secrets are told from what only looks like them, by texts that people have judged: both halves are printed.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import { maskBody, secretsOf } from '../../../../src/core/secret/body-secrets.ts'
import { heldOut } from '../../../support/secret/held-out-secret.ts'
import type { Judged } from '../../../support/secret/judged.ts'
import { tuning } from '../../../support/secret/tuning-secret.ts'

/** A text as part of a sentence that somebody else wrote, or a body as it is. */
const asBody = (one: string | object): JsonObject =>
  typeof one === 'string' ? { text: one } : { data: one as JsonObject }
const isFound = (one: string | object) => secretsOf(asBody(one)).length > 0

function judge({ secret, plain }: Judged) {
  const missed = secret.filter((one) => !isFound(one))
  const wrong = plain.filter(isFound)
  return { missed, wrong, caught: 1 - missed.length / secret.length, falsely: wrong.length / plain.length }
}

describe.each([
  ['on which the rules were tuned', tuning],
  ['that were held out', heldOut],
] as const)('of the judged texts %s', (name, judged) => {
  it('95 % of the secrets are found, and at most 1 % of the others', () => {
    const { missed, wrong, caught, falsely } = judge(judged)
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`
    process.stdout.write(
      `${name}: ${percent(caught)} of ${judged.secret.length} found, ${percent(falsely)} of ${judged.plain.length} wrong\n`,
    )
    expect({
      missed: missed.length / judged.secret.length <= 0.05 ? [] : missed,
      wrong: falsely <= 0.01 ? [] : wrong,
    }).toEqual({
      missed: [],
      wrong: [],
    })
  })

  it('what is masked has no secret left', () => {
    for (const one of judged.secret) {
      const { body, found } = maskBody(asBody(one))
      expect(found.length > 0 ? secretsOf(body) : []).toEqual([])
    }
  })
})
