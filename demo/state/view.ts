// The rooms of the inspector as places: their names, in the order of the rail.
export const viewNames = {
  traces: 'Traces',
  recall: 'Recall',
  sync: 'Sync and conflicts',
  storage: 'Storage',
} as const

export type View = keyof typeof viewNames

export const views = Object.keys(viewNames) as readonly View[]
export const shortNames: Readonly<Record<View, string>> = { ...viewNames, sync: 'Sync' }

export function isView(name: string | null): name is View {
  return name !== null && Object.hasOwn(viewNames, name)
}
