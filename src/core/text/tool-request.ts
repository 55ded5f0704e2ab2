// Request ids for calls of tools of the AI SDK.
import { shortKey } from './text-key.ts'

/**
 * Returns a request id for a call with these inputs. Some models number the calls of each conversation from 0, so
 * `toolCallId` alone is not unique. A repetition by the SDK has the same tool, input and messages.
 */
export function toolRequestId(toolCallId: string, ...parts: readonly unknown[]): string {
  let text = ''
  try {
    text = JSON.stringify(parts, (_, value: unknown) => (ArrayBuffer.isView(value) ? 0 : value))
  } catch {
    // The call itself refuses an input that is no JSON.
  }
  return `ai-sdk ${toolCallId} ${shortKey(text)}`
}
