// The order of test files. Vitest begins with the longest as it knows them from the last run, or as long as their sources are:
// in a fresh clone the short sources that compute or wait for a minute came last, and one core waited for the other.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest first, as a run on two cores told. Those of one group of projects are begun in this order. */
const long = [
  'test/package/install.test.ts',
  'test/browser/daybook.test.ts',
  'test/node/hosts/browser/crash-relaxed.test.ts',
  'test/node/hosts/browser/crash-strict.test.ts',
  'test/sim/first-thousand.test.ts',
  'test/sim/second-thousand.test.ts',
  'test/edge/sync-mirror.test.ts',
  'test/package/local.test.ts',
  'test/tabs/tabs.test.ts',
  'test/journey/nothing-left.test.ts',
  'test/inspector/state.test.ts',
  'test/tabs/webkit.test.ts',
  'test/devices/kafka.test.ts',
  'test/tabs/journal.test.ts',
  'test/inspector/kstar.test.ts',
  'test/devices/two-profiles.test.ts',
  'test/tabs/firefox.test.ts',
  'test/journey/open-door.test.ts',
  'test/journey/journey.test.ts',
  'test/tabs/soak.test.ts',
  'test/tabs/sleep.test.ts',
  'test/inspector/consent.test.ts',
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
