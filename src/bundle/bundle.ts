// Two chapters: bundles of a book with backups of a persona, and files of other programs.
import { defineChapter } from '../core/capability/chapter.ts'
import { backupCapabilities } from './backup/backup-capability.ts'
import { bundleBase } from './backup/backup-kind.ts'
import { bundleCapabilities } from './bundle-capability.ts'
import { exportCapabilities } from './export-capability.ts'
import { fileCapabilities, importCapabilities } from './import-capability.ts'

/**
 * `importCapabilities` imports only trajectories of SWE-agent; `fileImport` below has the verb for every
 * format.
 */
export const bundle = defineChapter({
  ...bundleBase,
  capabilities: [...exportCapabilities, ...bundleCapabilities, ...importCapabilities, ...backupCapabilities],
})

/** A separate chapter, because the manifest lists it after the meeting room and the inbox. */
export const fileImport = defineChapter({
  name: 'file import',
  capabilities: fileCapabilities,
  kinds: [],
})
