// The chapters of whole files: a book taken out and in as a bundle, and what other programs saved.
import { defineChapter } from '../core/capability/chapter.ts'
import { backupCapabilities } from './backup/backup-capability.ts'
import { backupKind, backupPartKind } from './backup/backup-kind.ts'
import { tellBackupAnewCapabilities } from './backup/tell-backup-anew.ts'
import { bundleCapabilities } from './bundle-capability.ts'
import { exportCapabilities } from './export-capability.ts'
import { fileCapabilities } from './file-capability.ts'
import { importCapabilities } from './import-capability.ts'

export const bundle = defineChapter({
  name: 'bundle',
  capabilities: [
    ...exportCapabilities,
    ...bundleCapabilities,
    ...importCapabilities,
    ...backupCapabilities,
    ...tellBackupAnewCapabilities,
  ],
  kinds: [backupKind, backupPartKind],
})

/** A chapter of its own: the manifest names it behind those of the meeting room and the inbox. */
export const fileImport = defineChapter({
  name: 'file import',
  capabilities: fileCapabilities,
  kinds: [],
})
