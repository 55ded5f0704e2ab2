// The id of a profile: one for what an agent knows of a user, the same on every device.
import { nameHash } from './murmur.ts'

export function profileId(agent: string, user: string): string {
  return `profile-${nameHash(agent, user)}`
}
