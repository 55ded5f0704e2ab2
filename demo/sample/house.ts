// The house that the scripted agent of the guided sample walks through: rooms and their doors, in the order it meets them.
export const gate = 'gate'
export const archive = 'archive'

export const house: Readonly<Record<string, readonly string[]>> = {
  gate: ['hall'],
  hall: ['gate', 'cloakroom', 'kitchen', 'staircase'],
  cloakroom: ['hall'],
  kitchen: ['hall', 'pantry'],
  pantry: ['kitchen'],
  staircase: ['hall', 'gallery', 'map room'],
  gallery: ['staircase', 'balcony'],
  balcony: ['gallery'],
  'map room': ['staircase', 'cellar', 'reading room'],
  cellar: ['map room', 'boiler room'],
  'boiler room': ['cellar'],
  'reading room': ['map room', 'archive'],
  archive: ['reading room'],
}
