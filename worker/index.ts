// The edge's entry. A placeholder until the app lands: it answers that it lives, and declares the Mirror.
import { DurableObject } from 'cloudflare:workers'

export class Mirror extends DurableObject<Env> {}

export default {
  fetch: (): Response => Response.json({ ok: true }),
} satisfies ExportedHandler<Env>
