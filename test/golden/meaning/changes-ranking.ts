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
who is my boss My new boss is Otto. => change-20:1 change-20:0
Qui est mon dentiste ? Mon nouveau dentiste est le docteur Grand. => change-21:1 change-21:0
what is my car I no longer have the Skoda Fabia, my car is a Dacia. => change-22:1 change-22:0
what is my car I moved my car to Elm Street. => change-27:0 change-27:1
who cleans the flat Marta no longer cleans the flat, Ivo does. => change-36:1 change-36:0
Wo arbeitet Lena? Lena arbeitet nicht mehr bei Siemens. => change-39:1 change-39:0
Où habite Paul ? Paul habite maintenant à Nantes. => change-40:1 change-40:0
Onde trabalha a Rita? A Rita já não trabalha no Porto. => change-41:1 change-41:0
which bank do I use I switched my bank to Triodos. => change-42:1 change-42:0
which phone do I have My phone is out of battery now. => change-43:0 change-43:1
when is choir practice Choir practice was lovely, and now I am tired. => change-44:0 change-44:1
do I eat meat My brother stopped eating meat. => change-45:1 change-45:0
who cleans the flat If Marta no longer cleans the flat, we must do it. => change-46:0 change-46:1
what is the wifi password I never changed the wifi password. => change-47:0 change-47:1
Wo arbeitet Lena? Lena hat jetzt Urlaub. => change-49:0 change-49:1
which bank do I use I moved the bench by the bank of the river. => change-50:0 change-50:1
where does Paul live Paul moved the sofa. => change-51:0 change-51:1
what car do I drive Actually a red Zoe is a nice car. => change-52:0 change-52:1
`
