// Conversations of one user, Mara, with her assistant and the people around her, over the year 2024. A block is a
// session: its name and when it began; a line is one message: who says it, then what. A minute lies between two lines.
export const talk = `
# lisbon 2024-02-03T18:00
Mara: We finally booked the flights to Lisbon, 12 to 19 April, leaving from Landvetter at six in the morning.
Assistant: Good. Shall I look for a place to stay near Alfama or rather in Graça?
Mara: Graça please, Tomas gets migraines from the noise in Alfama.
Assistant: There is an apartment on Rua da Senhora do Monte with a terrace, 118 euros a night.
Mara: Take it. And note that the landlady is called Dona Filomena and speaks only Portuguese.
Assistant: Noted. Do you want restaurant ideas as well?
Mara: Yes, but nothing with shellfish, I swell up like a balloon.
Assistant: Then Ponto Final across the river, they are known for grilled fish and monkfish rice.
Mara: Perfect, a table for two on the 14th, that is our anniversary.
Assistant: Booked for half past seven, under Lindqvist.
Tomas: Can we also see the tile museum? I would rather skip the tram 28 circus.
Mara: Tile museum on Tuesday then, it is shut on Mondays.

# cello 2024-03-11T19:30
Mara: My cello has a buzz on the open C string, only in dry weather.
Assistant: It may be an open seam or a loose fine tuner. When did it begin?
Mara: After I moved the instrument next to the radiator in January.
Assistant: Then a seam is likely. A luthier can glue it in a day.
Mara: I trust only Herr Vogt in Kungsladugård, he made the bridge.
Assistant: His workshop is closed until 25 March.
Mara: Fine. Remind me to buy a humidifier for the case, a Dampit.
Assistant: Reminder set. Do you still rehearse the Elgar with the quartet?
Mara: No, Elgar is a concerto. With the quartet it is Borodin number two, the nocturne.
Assistant: I had that wrong, thank you.
Mara: Concert is on 8 June in Hagakyrkan.

# allotment 2024-03-23T09:10
Mara: The allotment is number 47 now, they renumbered the whole colony.
Assistant: It was 31 before. I will use 47.
Mara: This year no tomatoes outdoors, the blight took all of them two summers in a row.
Assistant: What about the polytunnel?
Mara: Two rows of Sungold in there, and cucumbers by the door.
Tomas: The rhubarb needs splitting, it has not been divided since my mother planted it.
Mara: Do that before the leaves come. And the compost is too wet, add cardboard.
Assistant: The well pump is due for its yearly service too.
Mara: Bengt from plot 12 does it for a bottle of aquavit.
Assistant: Shall I put the seed swap on the calendar? It is on 6 April in the clubhouse.
Mara: Yes, I want to trade my black hollyhocks for lovage.

# brother 2024-04-02T21:15
Mara: My brother Elias called, he is leaving the hospital in Umeå.
Assistant: Is he changing jobs?
Mara: He starts at Sahlgrenska in September, in paediatric cardiology.
Assistant: So he moves to Gothenburg. Does he have a flat?
Mara: He can have our attic room until he finds one, but the dog cannot stay in there because of Tomas's asthma.
Assistant: Which dog is that?
Mara: Pixel, a Portuguese water dog. They hardly shed, but still.
Assistant: Then maybe Pixel sleeps in the winter garden.
Mara: Good idea. His birthday is 17 August by the way, he turns forty.
Assistant: I will remember it.

# harbour 2024-04-25T10:00
Mara: The municipality wants the harbour park design in three phases instead of one.
Assistant: Which parts belong to the first phase?
Mara: The quay steps, the tidal garden and the lighting. The playground comes last.
Assistant: And the budget?
Mara: 14.2 million kronor for phase one, lighting not included because the energy company pays it.
Assistant: Understood. Who is the contact at the city?
Mara: Fatima Rahimi, she replaced Lars-Göran after Easter.
Assistant: Is the salt tolerance list for the planting still the one from 2022?
Mara: No, use the new one from Alnarp, sea kale and thrift did well, the birches died.
Assistant: I will swap the birches for grey alder.
Mara: Alder is fine in the wet parts, pine on the dunes.
Fatima: The deadline for the drawings is 30 May, noon, by upload, not by mail.

# knee 2024-05-06T07:45
Mara: I twisted my left knee on the stairs to the studio.
Assistant: Can you put weight on it?
Mara: Yes, but it clicks and it is swollen.
Assistant: Rest, ice, and see a physiotherapist if it is not better by the end of the week.
Mara: I am seeing Ingrid Åkesson on Friday at eight.
Assistant: You were told not to take ibuprofen because of your stomach.
Mara: Right, paracetamol then.
Assistant: Shall I cancel the Saturday run with Noor?
Mara: Move it to the week after, and tell her it is only a sprain.

# kneeafter 2024-05-10T12:20
Mara: Ingrid says it is the meniscus, a small tear, no surgery for now.
Assistant: What did she recommend?
Mara: Twenty minutes on the exercise bike a day and no kneeling in the garden for six weeks.
Assistant: That rules out the strawberry bed.
Mara: Tomas has to plant them. And no cello stool lower than 45 centimetres.

# backup 2024-05-18T22:05
Mara: The studio computer made a noise like a coffee grinder and then nothing.
Assistant: That sounds like the hard disk. When was the last backup?
Mara: The NAS in the cupboard, every night at two, I hope.
Assistant: The log shows that the nightly job has failed since 9 May: the share is full.
Mara: Damn. What is missing then?
Assistant: Nine days of drawings. But the tidal garden files are also in the city's project room.
Mara: Thank God for Fatima's upload rule.
Assistant: I suggest two new 8 terabyte disks and an alarm when a backup fails.
Mara: Order them, and send the alarm to my phone, not by mail.

# quartet 2024-06-01T20:00
Noor: I cannot make Thursday, can we rehearse on Wednesday at my place?
Mara: Wednesday works, Petter brings the viola parts.
Petter: The metronome marking in the scherzo is a misprint, it should be 92.
Mara: I had wondered. Let us try 88, my hand is stiff.
Noor: Who turns pages on the eighth?
Mara: Petter's daughter Alva, she did it well last year.
Petter: She wants to be paid in liquorice.
Noor: The church gives us the key at five, the piano will be tuned to 442.
Mara: There is no piano in Borodin!
Noor: For the Brahms after the break, you forgot again.

# wifi 2024-06-14T08:30
Mara: The internet drops every evening around nine.
Assistant: The router restarts at nine, it is set to do so weekly but the clock is wrong.
Mara: Can you change it to four in the morning?
Assistant: You have to do it by hand: 192.168.1.1, user admin, the sticker has the password.
Mara: Done. It has moved itself to channel 13, is that bad?
Assistant: Some phones cannot see channel 13. Choose 1, 6 or 11.
Mara: Eleven it is. The guest network is called Rhubarb now.

# camera 2024-07-02T16:40
Mara: For the site photos I need a camera that survives rain.
Assistant: A sealed body with a 24 to 70 lens, or a rugged compact?
Mara: Compact. My hands are full of measuring tape anyway.
Assistant: The Ricoh WG or the OM Tough, both go under water.
Mara: The OM, Petter has one and likes the macro mode.
Assistant: It costs 4,990 kronor at the shop in Nordstan.
Mara: Buy it from the studio's account, it is deductible.

# midsummer 2024-06-20T15:00
Tomas: How many are we for midsummer?
Mara: Eleven with the Rahimis, and Fatima's mother is vegetarian.
Tomas: Then less herring and more of the västerbotten pie.
Mara: And no nuts in the cake, little Samir is allergic.
Tomas: Who brings the maypole?
Mara: Bengt has the pole, we do the flowers.
Tomas: If it rains we move into the polytunnel.
Mara: With the cucumbers? Funny man.

# school 2024-08-20T17:10
Mara: I said yes to teaching the evening course on planting design, Tuesdays from six to eight.
Assistant: Starting when?
Mara: On 10 September, ten evenings, in the old school in Majorna, room 204.
Assistant: How many students?
Mara: At most sixteen. They should bring scissors and tracing paper.
Assistant: Do you need the slides from last year's lecture on meadows?
Mara: Yes, but take out the picture of the ragwort, it is poisonous to horses and people complained.

# car 2024-09-03T11:00
Mara: The van failed the inspection, rust in the sill and a dead brake light.
Assistant: You have one month to mend it.
Mara: The garage in Mölndal wants 9,400 kronor, Bengt says it is worth 20,000 at most.
Assistant: Then an electric one may be worth a thought.
Mara: We looked at the Kangoo, 265 kilometres in winter is enough for me.
Assistant: The subsidy ended, but the studio can lease it.
Mara: Lease it is. Registration goes to the studio, not to me.
Mara: Update, we sold the old van to a beekeeper for 14,000.

# elias 2024-10-12T19:00
Elias: Thank you for the attic, I found a flat on Linnégatan from 1 November.
Mara: Already! And Pixel?
Elias: Pixel may come, the landlord has two dachshunds.
Mara: I will miss him in the winter garden.
Elias: He left his blue blanket with you, keep it for his visits.
Tomas: My inhaler and I send our regards.

# winter 2024-11-24T13:30
Mara: Frost tonight, did we drain the pump on the allotment?
Tomas: Bengt did it last week.
Mara: And the dahlias?
Tomas: Lifted, they are in the cellar in sand, labelled.
Mara: The lovage from the seed swap is taller than Noor, by the way.
Assistant: Garlic should go into the ground before it freezes.
Mara: Planted fourteen cloves of Therador on Sunday.

# tokyo 2024-11-02T10:00
Mara: 来年の十月に東京の庭園会議で発表することになりました。
Assistant: おめでとうございます。発表の題は何ですか。
Mara: 「潮の庭」です。港の公園の話をします。
Assistant: ホテルは会場の近くがいいですか。
Mara: 上野の旅館に泊まりたいです。朝ごはんが和食なら最高です。
Assistant: 甲殻類のアレルギーを旅館に伝えておきます。
Mara: ありがとう。六義園も見たいです。

# neighbour 2024-10-05T18:20
Bengt: Hast du noch die Leiter, die ich dir im Sommer geliehen habe?
Mara: Ja, sie steht im Gewächshaus hinter den Gurken, ich bringe sie morgen.
Bengt: Danke. Ich muss die Dachrinne reinigen, bevor die Blätter alles verstopfen.
Mara: Nimm Tomas mit, allein auf der Leiter ist gefährlich.
Bengt: Und der Apfelsaft ist gepresst, sechzig Liter, du bekommst zehn.

# filomena 2024-04-11T09:00
Filomena: Bom dia, a chave está na caixa azul ao lado da porta, o código é 4417.
Mara: Obrigada, Dona Filomena! Chegamos por volta das onze da manhã.
Filomena: A água quente demora um minuto, não se assuste.
Filomena: O lixo recolhe-se à noite, terças e sextas.

# supplier 2024-05-22T14:00
Wei: 您好,港口公园的花岗岩台阶六月十五日可以装船。
Mara: 谢谢。颜色必须和样品一样,浅灰色,不要有黄斑。
Wei: 没问题,我们会先寄三块样品给您确认。
Mara: 运费由谁承担?
Wei: 运费由我们承担,关税由您承担。
Wei: 付款方式是三成定金,余款见提单。

# hana 2024-09-15T12:00
Hana: 다음 달 서울 출장 때 조경 전시회에 같이 가실래요?
Mara: 네, 좋아요. 전시회는 언제까지 하나요?
Hana: 10월 27일까지 코엑스에서 열립니다.
Mara: 그럼 25일 오후에 만나요.

# paint 2024-07-20T10:15
Tomas: The façade needs paint before autumn, the south side is peeling.
Mara: Same red as before? Falu red, the light one.
Tomas: Boil it ourselves, then it lasts: rye flour, iron vitriol, pigment, linseed oil.
Mara: My grandmother's recipe says four hours and never let it burn.
Tomas: I need 25 litres for two coats.
Mara: Borrow the scaffold from the church, you mend their organ after all.

# train 2024-12-05T20:30
Mara: Which train do I take to the jury in Copenhagen on the 11th?
Assistant: The 6:52 by way of Malmö arrives at 10:27, with one change.
Mara: And if it is late? The jury begins at eleven.
Assistant: Then the 5:52 is safer, it leaves you an hour.
Mara: Book the early one, a seat by the window in the quiet car.
Assistant: Car 3, seat 41. The conductor wants to see an identity card.
`
