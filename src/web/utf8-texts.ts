// Bytes of a file that come in pieces, as the text that they are in UTF-8.
import { DaybookError } from '../core/errors.ts'

/** What is no UTF-8 is `invalid-file`; `name` stands in the error. */
export async function* utf8Texts(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch (cause) {
      const message = `${name}: It is not UTF-8.`
      throw new DaybookError('invalid-file', message, { details: { file: name, path: '' }, cause })
    }
  }
  for await (const chunk of chunks) yield decode(chunk)
  yield decode()
}
