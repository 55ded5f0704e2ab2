// Names of the parts of a document that is too large for one record: adapters write them, the document kind reads them.

/** Keys of documents begin with it that hold the rest of a larger one beside them, in the same folder. */
export const partMark = '#part '
/** The field of such a larger document that lists the keys of its parts. */
export const partsField = '$parts'
