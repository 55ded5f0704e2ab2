// Long talks of a user with an assistant, in English, German and Spanish: the user's turns are short and mostly questions, the
// assistant's answers are long and say a little of everything, as such answers do. `{n}` in an answer stands for a paragraph
// that many answers share. A block is a session; a line begins with who speaks.
export const stock = {
  en: [
    'Certainly! Planning this well makes all the difference. Start by writing down the scope of the project, the features you want to implement, and the deadline for each of them. Break the work into small tasks, give each task an owner and an estimate in days, and review the list every week so that you see early when something slips behind the schedule.',
    'It also helps to think about security early. Validate every input on the server, keep secrets out of the repository, log failed attempts, and limit how many requests a client may send in a minute. Write down which user may do what, and test that nobody else can.',
    'For testing, cover the happy path first and the error cases next. Measure the response time of each endpoint, keep the test data small, and run the whole suite in continuous integration before every deployment. When a test is flaky, find out why instead of running it again.',
    'Documentation is worth the effort. Describe how to set up the project, which libraries are used, how to run the tests, and how to deploy a new version. A short summary of decisions, with the date and the reason, saves a lot of discussion later on.',
    'Finally, monitor what you have built. Track errors, memory and response times on a dashboard, set an alarm for what matters, and look at the numbers together once a month. Small improvements, done regularly, add up to a better experience for every user.',
    'If money is tight, make a budget first: rent, food, travel, insurance, savings. Compare prices from at least three companies, read the contract before you sign, and keep every receipt in one folder. A weekly look at the list takes ten minutes and avoids most surprises.',
  ],
  de: [
    'Gerne! Am besten gehst du Schritt für Schritt vor. Schreib zuerst auf, was alles zu erledigen ist, bis wann es fertig sein muss und wer sich darum kümmert. Teile große Aufgaben in kleine auf, plane Puffer ein und geh die Liste einmal in der Woche durch, damit nichts vergessen wird.',
    'Vergleiche mehrere Angebote und achte nicht nur auf den Preis, sondern auch auf Kündigungsfristen, Versicherung und Haftung. Bewahre alle Rechnungen, Verträge und Quittungen in einem Ordner auf. Ein kurzer Anruf klärt oft mehr als drei Briefe, und eine Notiz mit Datum hilft später bei Fragen.',
    'Denk auch an die Gesundheit: genug Schlaf, regelmäßige Pausen, viel trinken und jeden Tag eine halbe Stunde Bewegung an der frischen Luft. Wenn Beschwerden länger als zwei Wochen anhalten, solltest du einen Termin in der Praxis vereinbaren und die Befunde mitnehmen.',
  ],
  es: [
    '¡Claro! Lo mejor es ir paso a paso. Haz una lista de lo que necesitas, pon una fecha a cada tarea y decide quién se encarga de cada una. Deja un margen de unos días por si algo se retrasa, y revisa la lista cada semana para que nada se quede sin hacer.',
    'Compara precios en varios sitios, pregunta por los descuentos y lee bien las condiciones antes de pagar. Guarda los recibos y los contratos en una carpeta, porque después siempre hacen falta. Si viajas, lleva una copia del pasaporte y apunta el teléfono del seguro.',
  ],
} as const

export const longTalk = `
# ledger 2024-01-08T09:00 en
user: I'm building Ledgerly, a small budget tracker, in Flask 2.3 with SQLite, alone, and it must be live on 15 March. Can you help me plan it?
assistant: {0} For a budget tracker the first milestone is usually login and registration, the second the transactions, the third the analytics. {3} {4}
user: My first sprint ends on 29 January and has only login and registration in it. Is that too little?
assistant: {0} One sprint for login and registration is reasonable when you work alone on a budget tracker, because sessions, password hashing and forms take time. {1} {2}
user: How do I hash the passwords?
assistant: Use a slow, salted function from a library that is maintained, and never write your own. {1} Login should answer in the same time whether the user exists or not. {2} {3}
user: I chose argon2-cffi for that, with a memory cost of 64 megabytes.
assistant: {1} That is a sound choice for a budget tracker. Remember that every login then takes that much memory, so limit how many happen at once. {4}
user: Can you look at this? sqlite3.OperationalError: database is locked, it happens when two tabs save a transaction at the same time.
assistant: That error means that another connection holds the write lock. {2} Set a busy timeout, keep transactions short, and use write-ahead logging. {4} {3}
user: WAL mode with a timeout of 4 seconds fixed it, thanks. What about the charts?
assistant: {4} Charts in a budget tracker are best drawn on the client, from a small JSON document. Group the transactions by month and category on the server. {2} {0}
user: Should I use Chart.js or D3 for the spending by category?
assistant: Both work. Chart.js is quicker to begin with, D3 more flexible when you need unusual charts. {0} {3} {4}
user: Chart.js then. The dashboard API takes 340 ms for a year of transactions, is there a way to make that faster?
assistant: {2} Add an index over user and date, cache the sums of past months, which never change, and send only what the chart shows. The response time of a dashboard is what every user notices first. {4}
user: With the index it is 95 ms now.
assistant: {4} That is a good response time for the dashboard API of a budget tracker. {2} {3}

# ledger-two 2024-02-12T09:00 en
user: Sprint two has to end on 19 February, recurring transactions and the CSV import are in it. Where do I begin?
assistant: {0} Begin with the import, because it gives you real data for everything else in the tracker. {2} Recurring transactions need a clear rule for the last day of the month. {3}
user: What is the best way to detect the delimiter of a CSV file?
assistant: Look at the first lines and count commas, semicolons and tabs outside of quotes. {2} Banks write numbers in different ways, so ask the user when it is not clear. {1} {3}
user: My bank, Nordhaven, exports with semicolons and a comma as the decimal sign, and the first 6 lines are garbage.
assistant: {2} Skip lines until the header is found, and keep a small profile for each bank. {3} {4}
user: Where should I deploy it? I don't want to pay more than 12 euros a month.
assistant: {5} A small virtual server or a platform with a free tier is enough for a budget tracker with few users. {1} Think about backups of the database before the first deployment. {4} {3}
user: I took a Hetzner CX22 in Falkenstein for 4.51 euros, with Caddy in front.
assistant: {1} Caddy takes care of the certificates. {4} Set up a nightly copy of the SQLite file to another place, and test that it can be restored. {3}
user: What are the libraries that I need for the PDF report?
assistant: {3} There are several libraries for PDF reports in Python, some draw on a canvas and some convert HTML. {2} {4}
user: How do I make Flask-Login remember people?
assistant: Set the remember flag when you log a user in, and give the cookie a lifetime, the secure flag and the same-site attribute. {1} {2} {4}
user: Someone reported that the session expires in the middle of typing, should that be 30 minutes or longer?
assistant: {1} A sliding expiration is friendlier: each request extends the session. {2} For a budget tracker with private data, two hours is common. {4}

# flat 2024-04-03T18:30 en
user: We are moving in June, from Leeds to Bristol, with two cats. Can you make a list of what to do?
assistant: {5} {0} For a move with cats, plan a quiet room for them on both sides, and update the address of their microchips. Tell the council, the bank, the insurance and the employer. {4}
user: The new landlord is called Mr Okonkwo and wants a deposit of 1,650 pounds. Is that legal?
assistant: {5} A deposit of up to five weeks' rent is the usual limit, and it has to be protected in a scheme within thirty days. {0} Read the contract for the notice period.
user: Which moving company is the cheapest for a two bedroom flat?
assistant: {5} Prices depend on the distance, the floor, and the day of the week. A move at the end of the month costs more. {0} Ask whether insurance is included, and who packs.
user: Pickford's quoted 1,180, the van man Dave 640 without insurance. I'll go with Dave.
assistant: {5} Then take photographs of the furniture before the move and carry what is precious yourself. {0} {4}
user: My new doctor's surgery is Montpelier Health Centre, they want my NHS number before the 20th.
assistant: {0} You find the NHS number on any letter from a hospital or in the app. {5} Ask the old surgery to send your records, which may take some weeks.
user: What should I give a cat that throws up in the car?
assistant: Let it travel on an empty stomach, cover the box, and drive gently. A vet can give something against nausea. {5} {4}
user: Miso gets gabapentin from the vet, 50 mg two hours before, Tofu gets nothing.
assistant: Good to know. {0} Keep the box in the shade and bring water. {5}
user: Is the internet in Bristol any good?
assistant: {5} In most of the city there is fibre. Compare the price after the first year, not only in it. {4} {0}

# umzug 2024-05-06T19:00 de
user: Ich suche einen Kindergarten für Jonte, ab August, am liebsten zu Fuß erreichbar. Wie gehe ich vor?
assistant: {0} {1} Für einen Platz im Kindergarten meldest du dich am besten bei mehreren Häusern an und fragst nach der Warteliste. Auch die Eingewöhnung braucht Zeit, meist drei bis vier Wochen. {2}
user: Wir haben den Platz im Waldkindergarten Eulennest bekommen, Beginn ist am 19. August!
assistant: Herzlichen Glückwunsch! {0} Für den Waldkindergarten braucht das Kind wetterfeste Kleidung, feste Schuhe und einen Rucksack mit Brustgurt. {2}
user: Was kostet so eine Zahnspange eigentlich?
assistant: {1} Bei Kindern übernimmt die Kasse einen großen Teil, wenn die Behandlung medizinisch notwendig ist. {2} {0}
user: Die Kieferorthopädin, Frau Dr. Brandl, verlangt 2.340 Euro Eigenanteil für Lenas Spange.
assistant: {1} Lass dir einen Heil- und Kostenplan geben und reiche ihn bei der Zusatzversicherung ein. {0} {2}
user: Warum springt die Heizung nachts immer an?
assistant: {1} Häufig ist die Nachtabsenkung falsch eingestellt oder der Frostschutz greift. Prüfe Uhrzeit und Heizkurve am Regler. {0} {2}
user: Es war der Außenfühler, der Monteur von Firma Hölzl hat ihn für 148 Euro getauscht.
assistant: {1} Gut, dass es nur der Fühler war. {0} Notiere dir den Termin für die nächste Wartung der Heizung.

# viaje 2024-06-10T20:00 es
user: Queremos ir a Asturias en septiembre con mi madre, que no puede caminar mucho. ¿Qué nos aconsejas?
assistant: {0} {1} En Asturias hay muchos paseos llanos junto al mar y pueblos donde se puede aparcar cerca del centro. En septiembre hace buen tiempo y hay menos gente.
user: ¿Qué comida típica hay que probar?
assistant: La fabada, los quesos, el cachopo y la sidra. {1} En septiembre hay fiestas en muchos pueblos. {0}
user: Al final reservamos Casa Telva en Cudillero, del 9 al 16, por 71 euros la noche y con ascensor.
assistant: {1} Buena elección, y con ascensor tu madre estará cómoda. {0} Pregunta si el desayuno está incluido en el precio de la noche.
user: ¿Cómo se alquila un coche con cambio automático?
assistant: {1} Reserva con tiempo, porque hay pocos coches con cambio automático. Mira bien el seguro y la franquicia. {0}
user: El coche es un Yaris de la agencia Norteña, recogida en el aeropuerto a las 11:40.
assistant: {1} Perfecto. {0} Haz fotos del coche al recogerlo y guarda el contrato.

# tools 2024-07-01T10:00 en
user: What does "ECONNRESET" mean when my worker calls fetchInvoices()?
assistant: The other side closed the connection while the request was under way. {2} Retry with a delay that grows, and close idle connections before the server does. {1} {4}
user: It was the keepAliveTimeout of the load balancer, 60 s, and ours was 65. I set server.keepAliveTimeout = 55_000.
assistant: {4} That is the usual cause. {2} {3}
user: How can I parse "2024-07-01T10:00:00+02:00" without moment?
assistant: {2} The built-in parser reads such dates. For time zones by name use a maintained library. {3} {4}
user: I replaced moment by date-fns-tz in src/billing/period.ts, and BillingPeriod.toUtc() is the only place that converts.
assistant: {3} One place for conversions is a good rule. {2} {4}
user: Our feature flag for the new importer is called importer_v2_shadow, it is on for 5 percent.
assistant: {4} {2} Compare the results of both importers before you raise the share.
user: Bug PAY-3127 is back: the webhook of Mollie comes twice and we book it twice. Any idea?
assistant: {2} Make the booking idempotent: keep the id of each event, and ignore one that you have seen. {1} {4}
user: Should the flags live in the database or in the environment?
assistant: {3} {4} What changes while the system runs belongs into the database, what changes with a deployment into the environment. {2}
`
