// Nell's own life in 2025: meals out, books, films, running, an aching shoulder, bread, a guitar and an old car. The form is that
// of `house-talk.ts`.
export const selfTalk = `
# curry 2025-03-04T22:10
Nell: We tried the Mughal Gate on Stokes Croft tonight. The lamb was great, the chairs were not. @ate
Assistant: Worth a second visit?
Nell: With a cushion.
Nell: Started Piranesi for the book club, forty pages in and no idea what's going on.
Assistant: That is how it's meant to be, I think.
Nell: Oh, and dentist this morning, only a check-up, but one filling is loose. @dentist

# plan-run 2025-03-10T07:30
Nell: I've signed up for the Bristol half marathon on 21 September. Somebody stop me. @training
Assistant: That is six months away, plenty of time. How far do you run at the moment?
Nell: Five kilometres, with a stop to cough.
Assistant: Three runs a week then, and only one of them long.
Nell: Fine. My right shoulder hurts from the desk, not from running, don't worry. @shoulder
Nell: Trying to bake sourdough as well. First loaf: a brick. @bread

# parasite 2025-03-15T23:20
Nell: Josh and I finally watched Parasite. What a film. @film
Assistant: Did you see the ending coming?
Nell: Not at all.
Nell: I had a migraine all afternoon though, with the zigzags. @migraine
Assistant: Shall I keep a list of the dates for your doctor?
Nell: Yes please.

# filling 2025-03-19T12:40
Nell: Second time at the dentist this month, the loose filling got replaced. My lip is asleep. @dentist
Assistant: Soup for lunch then.
Nell: Cancelled the gym today, I never go. @cancelled
Assistant: That saves 34 pounds a month.
Nell: Which I'll spend on running shoes.

# wonderwall 2025-03-23T18:00
Nell: Guitar: I can play Wonderwall without stopping. Josh has left the room. @song
Assistant: A classic first song.
Nell: My teacher says so too, with a sigh.
Nell: Second loaf was flat like a pancake but it tasted of bread. @bread
Assistant: Perhaps the starter was not active enough.

# clutch 2025-03-26T18:50
Nell: The Polo won't start in the mornings. Garage says battery, 95 pounds, done by noon. @car
Assistant: How old was the old one?
Nell: Nine years, bless it.
Nell: And I left my good umbrella on the bus. @lost
Assistant: The bus company has a lost property desk.
Nell: Rang them, nothing.

# tapas 2025-04-04T23:00
Nell: Dinner at Little Lisbon with Deb, the octopus was like rubber. @ate
Assistant: Not on the list of favourites then.
Nell: The custard tarts were heaven.
Nell: Ibuprofen gel on my shoulder for two weeks now and nothing. @shoulder @treatment
Assistant: A physiotherapist could look at how you sit.

# pancake 2025-04-06T17:00
Nell: Ran ten kilometres at the Easter fun run in Portishead, 64 minutes. @race @training
Assistant: Twice as far as a month ago!
Nell: I was overtaken by a man dressed as an egg.
Nell: Watched Paddington 2 with Josh and Ada in the evening, we all cried. @film
Assistant: The prison scene?
Nell: The ending!

# physio 2025-04-15T18:30
Nell: Physio says it's a frozen shoulder in the making. Rubber band exercises, twice a day. @shoulder @treatment
Assistant: Shall I remind you at eight and at six?
Nell: Yes, and be strict.
Nell: Finished Piranesi, gave it five stars. Next is The Bee Sting. @read
Assistant: That one is six hundred pages.
Nell: I know. Pray for me.

# brakes 2025-04-24T19:00
Nell: Car again: brakes squeal, new pads in front, 180. @car
Assistant: Did they look at the discs?
Nell: Fine for another year, allegedly.
Nell: Migraine on Tuesday, had to lie down in the dark at work. @migraine
Assistant: Noted for Tuesday the 22nd.
Nell: Cancelled the newspaper too, it only goes into the recycling. @cancelled

# kiln 2025-05-01T22:40
Nell: Kiln and Coal was superb, best steak in years, 48 pounds a head though. @ate
Assistant: A place for birthdays.
Nell: Josh's, in autumn.
Nell: Loaf three rose! Used rye flour in the starter. @bread
Assistant: Rye is full of what the yeast likes.

# bee 2025-05-09T21:30
Nell: The Bee Sting is done, what an ending, I need to talk to somebody. @read
Assistant: Talk to me.
Nell: Not you. Somebody with children.
Nell: I can do Blackbird on the guitar, slowly, with one wrong note. @song
Assistant: That is a hard piece for a beginner.
Nell: The exercises do nothing, my shoulder got worse, can't reach the top shelf now. @shoulder

# trainers 2025-05-13T07:10
Nell: Twelve kilometres along the harbour this morning, knees fine. @training
Assistant: That is the longest so far.
Nell: New shoes. They cost more than my first car.
Nell: Lost an earbud on the way, the left one. @lost
Assistant: It may show up in the app's map.
Nell: In the water, says the map.

# gp 2025-05-22T17:00
Nell: The doctor gave me a steroid injection in the shoulder today. It hurt like hell. @shoulder @treatment
Assistant: It takes a few days until it helps.
Nell: Migraine yesterday again, third one since March I think. @migraine
Assistant: You have listed 15 March and 22 April before.
Nell: He wants me to try magnesium.
Nell: We saw Aftersun last night, Josh hasn't spoken since. @film

# noodles 2025-05-31T22:00
Nell: The Bao Shop at the harbour, quick and cheap, Ada ate six. @ate
Assistant: Six whole ones?
Nell: I'd not have believed it either.
Nell: Crown came off at breakfast, so dentist on Monday.
Assistant: Keep the crown in a little box.

# crown 2025-06-02T13:00
Nell: Dentist glued the crown back on, 55 pounds, third time in that chair this year. @dentist
Assistant: Don't chew on that side today.
Nell: Too late.
Nell: Read Small Things Like These in one evening, it's tiny and perfect. @read
Assistant: For the club?
Nell: Yes, June's book.

# bath-race 2025-06-08T14:30
Nell: Bath two tunnels race, fifteen kilometres, 1:33. Dark and cold in there, lovely. @race @training
Assistant: That is a good pace for the distance.
Nell: I still have legs. Shoulder's better too, the injection works. @shoulder
Assistant: Are you still doing the bands?
Nell: When you remind me.
Nell: Fourth loaf, with seeds: big holes, crisp crust, Deb asked for the recipe. @bread

# tyres 2025-06-17T18:20
Nell: Two new tyres for the Polo, a nail in one and the other bald, 150. @car
Assistant: You have spent 425 on it since March.
Nell: Don't.
Nell: Migraine on Sunday after the party, light and noise and sugar. @migraine
Assistant: Sunday the 15th, noted.
Nell: Cancelled Filmbox, we have two other ways to watch films. @cancelled

# nonna 2025-06-21T23:10
Nell: Trattoria Nonna Pia for our anniversary. I cried over the ravioli. @ate
Assistant: Tears of joy, I hope.
Nell: Pure joy.
Nell: Everyone says we should try the Salted Plum next, but it's booked until October.
Assistant: Shall I watch for a free table?
Nell: Please.

# heat 2025-07-03T21:40
Nell: Too hot to run. Did eight at six in the morning instead of sixteen. @training
Assistant: Heat counts double.
Nell: We watched Past Lives on the laptop in the garden. Lovely and sad. @film
Assistant: A quiet one.
Nell: Finished Orbital for the club, it's like floating. @read

# landslide 2025-07-12T19:00
Nell: Learnt Landslide on the guitar, with fingerpicking and all. @song
Assistant: How long did that take?
Nell: Five weeks and a callus.
Nell: My bank card is gone, I think I left it at the petrol station. Blocked it. @lost
Assistant: A new one takes about five days.

# clutch-two 2025-07-18T18:30
Nell: The clutch slips uphill. Garage wants 780 for it, more than the car is worth. @car
Assistant: Will you have it done?
Nell: Done, with a lump in my throat, we need it for Scotland. @car
Nell: Cancelled the coffee box as well, we have twelve bags. @cancelled
Assistant: That is the fourth thing since March.
Nell: I'm on a roll.

# cheddar 2025-07-20T13:20
Nell: Cheddar Gorge trail race, eighteen kilometres of pure pain, 2:11. @race @training
Assistant: With a climb of 500 metres.
Nell: I was overtaken by goats.
Nell: Migraine in the evening, probably the sun. @migraine
Assistant: Drink, and stay in the shade tomorrow.

# sushi 2025-07-26T22:20
Nell: Ocean Bowl in Clifton. Pretty plates, small portions, we had chips on the way home. @ate
Assistant: A review in one line.
Nell: Shoulder update: I reached the top shelf! Full movement, the doctor is pleased. @shoulder
Assistant: Shall I stop the reminders?
Nell: Keep one a day.
Nell: Baked two loaves at once for Mum and Deb and both came out perfect. @bread

# august 2025-08-15T20:00
Nell: Back in routine. Dentist for the scale and polish, all fine, see you in a year, he said. @dentist
Assistant: That makes four this year.
Nell: Nineteen kilometres on Sunday, slow, no pain. @training
Assistant: Five weeks to go.
Nell: One of my gloves is missing, the red merino ones, Skye probably. @lost
Nell: We watched The Holdovers, Josh laughed so hard he choked. @film

# september 2025-09-05T21:00
Nell: Read Clear for the club, a short one about an island. @read
Assistant: Fitting after Scotland.
Nell: I can play Dust in the Wind now, the teacher was silent and then said wow. @song
Assistant: High praise.
Nell: A table at the Salted Plum came up! We went last night: worth the wait, the plum tart alone. @ate
Assistant: I'm glad that the watching paid off.
Nell: And the audiobooks are cancelled, I only ever fell asleep with them. @cancelled

# half 2025-09-21T15:00
Nell: I DID IT. The half marathon in 2:09:40, and I didn't walk once. @race @training
Assistant: From five kilometres with a cough to this!
Nell: Josh and Ada held a sign that said hurry up Mum.
Assistant: How are the legs?
Nell: Which legs.
Nell: I'll play Heroes for everyone tonight, learnt it last week in secret. @song
`
