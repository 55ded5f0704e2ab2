// Local models as the engine's worker has them: started by its page, on a line straight to the model's worker.
import { proxy } from 'comlink'
import type { ModelAnswer, ModelHost, ModelRequest } from '../../../recall/embed/model-message.ts'
import type { FarPageEmbedder } from '../wire/message.ts'

export function modelHostOf(page: FarPageEmbedder): ModelHost {
  return {
    async start(hear, ended) {
      let over = false
      const failed = (why: string) => {
        if (over) return
        over = true
        ended(why)
      }
      const line = await page.start(proxy(failed))
      line.onmessage = ({ data }: MessageEvent<ModelAnswer>) => {
        if (!over) hear(data)
      }
      return {
        post: (request: ModelRequest) => line.postMessage(request),
        end() {
          over = true
          line.close()
          void page.end().catch(() => undefined)
        },
      }
    },
  }
}
