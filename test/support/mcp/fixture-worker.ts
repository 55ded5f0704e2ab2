// The fixture in workerd: in one object, as streams of several requests are there each other's to write to.
import { answerFixture } from './fixture-entry.ts'

interface Objects {
  idFromName(name: string): unknown
  get(id: unknown): { fetch(request: Request): Promise<Response> }
}

export class Fixture {
  fetch(request: Request): Promise<Response> {
    return answerFixture(request)
  }
}

export function answerInObject(
  request: Request,
  { FIXTURE }: { readonly FIXTURE: Objects },
): Promise<Response> {
  return FIXTURE.get(FIXTURE.idFromName('one')).fetch(request)
}
