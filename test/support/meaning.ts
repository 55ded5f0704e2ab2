// Words of one meaning, for embedders of tests.

export const meanings = [
  ['car', 'automobile', 'vehicle', 'drive'],
  ['doctor', 'physician', 'hospital', 'medicine'],
  ['money', 'salary', 'bank', 'pay'],
  ['rain', 'storm', 'weather', 'umbrella'],
]
