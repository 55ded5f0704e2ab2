// One sentence through every door: one record in the book behind it, and a receipt of the one shape. A door that comes is a
// line in the table of a host's test.
import { expect, it } from 'vitest'

export interface SentenceDoor extends AsyncDisposable {
  /** Its receipt has the names of the description that the door keeps to: `fact_id` in place of `id`. */
  readonly isShaped?: boolean
  /** Stores this fact, and answers what the door says of it. */
  store(input: Readonly<Record<string, unknown>>): Promise<unknown>
  /** The facts of the book behind the door. */
  facts(): Promise<readonly unknown[]>
}

const sentence = 'Ann’s train leaves Lisbon at 07:40'
const input = { schema: 'note', data: { text: sentence }, source: 'same-sentence' }

export function sameSentenceCases(doors: Readonly<Record<string, () => Promise<SentenceDoor>>>): void {
  it.each(Object.entries(doors))('through %s is one record, with one receipt', async (_name, open) => {
    await using door = await open()
    const receipt = await door.store(input)
    const facts = await door.facts()
    expect(facts).toHaveLength(1)
    expect(facts[0]).toMatchObject({ kind: 'fact', ...input })
    const { id } = facts[0] as { readonly id: string }
    const whole = { id, schema_version: null, storedAt: expect.any(String), durability: expect.any(String) }
    expect(receipt).toEqual(door.isShaped ? expect.objectContaining({ fact_id: id }) : whole)
  })
}
