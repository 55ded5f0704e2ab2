// What frameworks may hand over that JSON, or a book, has no plain word for.

/** Objects in one another, `depth` of them. */
function nested(depth: number): object {
  let value: object = { end: true }
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { a: value, b: [i] } : { list: [value, i] }
  return value
}

export const foreign = {
  nested,
  /** More than one document takes, in characters of one, two and three bytes. */
  long: 'a"\\é\u{1f600}漢'.repeat(400_000),
  /** The marks of the codec, as a user may have written them. */
  marks: [
    { $bytes: 'not base64' },
    { $bytes: 'AAAA' },
    { $date: '2026-01-01' },
    { $bigint: '7' },
    { $number: 'NaN' },
    { $undefined: true },
    { $json: '{"a":1}' },
    { $map: [] },
    { $set: [1] },
    { $plain: { $plain: { $bytes: 'AAAA' } } },
    { $parts: [], $first: '{}' },
  ],
}
