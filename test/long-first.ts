// The order of test files. Vitest begins with the longest as it knows them from the last run, or as long as their sources are:
// in a fresh clone the short sources that compute or wait for a minute came last, and one core waited for the other.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest first, as a run on two cores measured; in pages, those that compute between those that wait. Each group of projects begins in this order. */
const long = [
  'test/package/install.test.ts',
  'test/browser/daybook.test.ts',
  'test/edge/sync-mirror.test.ts',
  'test/node/hosts/node/full-disk.test.ts',
  'test/edge/answer-mirror.test.ts',
  'test/node/hosts/node/cli/cli.test.ts',
  'test/node/hosts/browser/crash-strict.test.ts',
  'test/node/hosts/browser/crash-relaxed.test.ts',
  'test/node/hosts/node/kafka/kafka.test.ts',
  'test/node/hosts/node/postgres/sync-postgres.test.ts',
  'test/node/hosts/node/serve/serve-lines.test.ts',
  'test/package/local.test.ts',
  'test/devices/kafka.test.ts',
  'test/inspector/accessible.test.ts',
  'test/journey/nothing-left.test.ts',
  'test/inspector/pool/pool.test.ts',
  'test/journey/open-door.test.ts',
  'test/inspector/state.test.ts',
  'test/tabs/sleep.test.ts',
  'test/devices/two-profiles.test.ts',
  'test/inspector/list/list-view.test.ts',
  'test/journey/journey.test.ts',
  'test/tabs/full-disk.test.ts',
  'test/inspector/continuity/days.test.ts',
  'test/tabs/tabs.test.ts',
  'test/inspector/kstar.test.ts',
  'test/tabs/firefox.test.ts',
  'test/journey/silent-run.test.ts',
  'test/tabs/webkit.test.ts',
  'test/tabs/frozen.test.ts',
  'test/inspector/consent/consent.test.ts',
  'test/tabs/journal.test.ts',
  'test/tabs/soak.test.ts',
]

/** From 0, the first; those that are not in the list come after all of it. */
function placeOf({ moduleId }: TestSpecification): number {
  const place = long.findIndex((file) => moduleId.endsWith(file))
  return place < 0 ? long.length : place
}

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
