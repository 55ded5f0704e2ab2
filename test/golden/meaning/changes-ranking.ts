// The first ten of questions with the embedder `meaning`, as every host must rank them. `node test/eval/write-meaning.ts` writes
// this file.
export const changesRanking = `
who is my dentist I changed my dentist to Dr Brandt, because Dr Alvarez retired. => change-0:1 change-0:0
what milk do I drink I no longer drink oat milk, it gives me a rash. => change-2:1 change-2:0
where does Tom live Tom moved to Berlin, so he no longer lives up there. => change-3:1 change-3:0
which gym do I go to My gym is Elixia now. => change-4:1 change-4:0
Wer ist mein Zahnarzt? Ich habe den Zahnarzt gewechselt und bin bei Frau Brand. => change-6:1 change-6:0
¿Dónde vive Ana? Ana ya no vive en Sevilla, está en Madrid. => change-7:1 change-7:0
where do I keep the passport I don't keep the passport in the desk any more. => change-8:1 change-8:0
who is my dentist I am now in the waiting room of the dentist. => change-10:0 change-10:1
what is my job My sister changed her job last week. => change-11:0 change-11:1
when is the standup The time of the standup has not changed. => change-12:0 change-12:1
who is my dentist Should I have changed my dentist, is Dr Brandt better? => change-13:0 change-13:1
what tea do I like I bought more green tea, the shop has a new owner now. => change-15:0 change-15:1
where does Tom live Tom now has two cats. => change-17:0 change-17:1
Wer ist mein Zahnarzt? Jetzt muss ich noch zum Zahnarzt. => change-18:0 change-18:1
what milk do I drink The cafe moved, and they sell oat milk. => change-19:0 change-19:1
who cleans the flat Marta no longer cleans the flat, Ivo does. => change-23:1 change-23:0
Wo arbeitet Lena? Lena arbeitet nicht mehr bei Siemens. => change-26:1 change-26:0
Où habite Paul ? Paul habite maintenant à Nantes. => change-27:1 change-27:0
Onde trabalha a Rita? A Rita já não trabalha no Porto. => change-28:1 change-28:0
which bank do I use I switched my bank to Triodos. => change-29:1 change-29:0
which phone do I have My phone is out of battery now. => change-30:0 change-30:1
when is choir practice Choir practice was lovely, and now I am tired. => change-31:0 change-31:1
do I eat meat My brother stopped eating meat. => change-32:1 change-32:0
who cleans the flat If Marta no longer cleans the flat, we must do it. => change-33:0 change-33:1
what is the wifi password I never changed the wifi password. => change-34:0 change-34:1
Wo arbeitet Lena? Lena hat jetzt Urlaub. => change-36:0 change-36:1
which bank do I use I moved the bench by the bank of the river. => change-37:0 change-37:1
where does Paul live Paul moved the sofa. => change-38:0 change-38:1
what car do I drive Actually a red Zoe is a nice car. => change-39:0 change-39:1
`
