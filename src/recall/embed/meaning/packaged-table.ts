// The table that comes with this version of the package. A test compares it with the file.

/** The name is that of the model in fingerprints. */
export const packagedTable = { name: 'minilm-l6-256-1', dimensions: 256 } as const
