// What the company sells: energy, appliances, household, auto and school, at prices of 2026. See shelf.ts for the format.
export const equipmentShelves = `
  = 7 16 energy USD 22 1: Solèy Nò, Heliana, Karayib Solar, Midi, Zenit, Limyè Pou Tout, Soleken
    Panneau solaire monocristallin |                                     | Unité/Palette*30| 62 | 1-8 | 100 W, 200 W*1.85, 330 W*2.6, 450 W*3.3, 550 W*3.8
    Lampe solaire        | Lampe solaire avec chargeur de téléphone      | Unité/Caisse*12| 18 | 1-4  | 1 W, 3 W*1.4, 6 W*2.1
    Projecteur solaire   | Projecteur LED avec panneau et télécommande   | Unité        | 29 | 1-4   | 60 W, 100 W*1.4, 200 W*2.1, 300 W*2.8
    Lampadaire solaire   | Lampadaire tout-en-un                         | Unité        | 95 | 1-6   | 60 W, 120 W*1.6
    Support de panneau   | Rails aluminium pour toiture                  | Jeu          | 34 | 1-6   | 2 panneaux, 4 panneaux*1.85
    Régulateur MPPT      | Régulateur de charge                          | Unité        | 84 | 1-2   | 20 A, 40 A*1.5, 60 A*2.1, 100 A*4
    Connecteurs MC4      | La paire                                      | Paire/Sachet*50| 1.9| 2-20
    Chauffe-eau solaire  |                                              | Unité        | 640 | 1-1  | 40 gal, 80 gal*1.6
  = 7 17 energy USD 20 1: Fòs Plis, Heliana, Voltek, Zenit, Tonèr, Kouran Plis, Bateriyo
    Onduleur             | Onduleur hybride à onde sinusoïdale           | Unité        | 290 | 1-2  | 1,5 kW, 3 kW*1.8, 5 kW*2.9, 8 kW*5.4, 12 kW*8
    Batterie à décharge profonde | 6 V, plomb ouvert                    | Unité        | 218 | 1-8  | 225 Ah, 250 Ah*1.1, 305 Ah*1.5
    Batterie lithium     | LiFePO4 avec BMS intégré                      | Unité        | 385 | 1-4  | 12 V 100 Ah, 24 V 100 Ah*1.9, 48 V 100 Ah*3.6
    Chargeur de batterie |                                              | Unité        | 75  | 1-1  | 12 V 20 A, 24 V 30 A*1.7
    Stabilisateur        | Régulateur de tension                         | Unité        | 58  | 1-2  | 1 kVA, 2 kVA*1.6, 5 kVA*3.1
    UPS                  | Alimentation de secours pour ordinateur       | Unité        | 69  | 1-3  | 650 VA, 1000 VA*1.5, 1500 VA*2.2
    Eau distillée        | Pour batteries                                | Galon/Caisse*6| 3.5 | 1-12
  = 7 18 energy USD 18 1: Tonèr, Gwo Moteur, Rakèt, Voltek, Solido, Motopwo
    Génératrice à essence|                                              | Unité        | 465 | 1-1  | 3 kW, 5,5 kW*1.75, 8 kW*2.6
    Génératrice diesel   | Insonorisée, démarrage électrique             | Unité        | 3650| 1-1  | 10 kW, 20 kW*1.7
    Génératrice inverter | Silencieuse, portable                         | Unité        | 390 | 1-1  | 2 kW, 3,5 kW*1.6
    Motopompe            | Pompe à essence                               | Unité        | 215 | 1-1  | 2", 3"*1.3
  = 7 19 energy USD 30 1: Voltek, Klere, Luminor, Sekirite, Kouran Plis, Elektra
    Ampoule LED          |                                              | Unité/Caisse*50| 2.2 | 1-10 | 7 W, 9 W*1.15, 12 W*1.4, 18 W*2
    Câble électrique     | Cuivre THHN                                   | Mètre/Rouleau*100| 0.9| 5-60/0.5 | #14, #12*1.45, #10*2.2, #8*3.8, #6*5.6
    Câble solaire        | Double isolation                              | Mètre/Rouleau*100| 1.45| 4-40/0.5 | 4 mm², 6 mm²*1.4, 10 mm²*2.2
    Disjoncteur          |                                              | Unité        | 6.5 | 1-6  | 15 A, 20 A, 30 A*1.1, 60 A*1.8
    Panneau électrique   | Coffret de distribution                       | Unité        | 42  | 1-2  | 4 circuits, 8 circuits*1.6, 12 circuits*2.2
    Prise double         |                                              | Unité/Boîte*10| 1.85| 1-12
    Interrupteur         |                                              | Unité/Boîte*10| 1.6 | 1-12 | simple, double*1.5, triple*2
    Rallonge             |                                              | Unité        | 7.5 | 1-3  | 3 m, 8 m*1.9, 15 m*3.1
    Multiprise           | Avec protection de surtension                 | Unité        | 9.5 | 1-4
    Ruban isolant        |                                              | Rouleau/Caisse*10| 0.95| 1-8 | noir, rouge, blanc
  = 8 20 home USD 19 1: Frima, Kay Fre, Domus, Karayib, Bèl Kay, Frechè, Glasinò
    Réfrigérateur        |                                              | Unité        | 385 | 1-1  | 7 pi³, 10 pi³*1.35, 14 pi³*1.95, 18 pi³*2.6
    Congélateur coffre   |                                              | Unité        | 310 | 1-1  | 5 pi³, 7 pi³*1.2, 10 pi³*1.6
    Cuisinière à gaz     |                                              | Unité        | 295 | 1-1  | 4 feux, 6 feux*1.6
    Réchaud à gaz        |                                              | Unité        | 42  | 1-2  | 2 feux, 3 feux*1.35
    Bonbonne de propane  |                                              | Unité        | 48  | 1-2  | 20 lb, 25 lb*1.15, 50 lb*1.8
    Machine à laver      |                                              | Unité        | 330 | 1-1  | 12 kg, 16 kg*1.3
    Four à micro-ondes   |                                              | Unité        | 98  | 1-1  | 0,7 pi³, 1,1 pi³*1.4
    Ventilateur sur pied |                                              | Unité        | 39  | 1-3  | 16", 18"*1.25
    Climatiseur split    | Inverter, avec kit d'installation             | Unité        | 410 | 1-2  | 12 000 BTU, 18 000 BTU*1.5, 24 000 BTU*1.95
    Mélangeur            | Blender                                       | Unité        | 36  | 1-1  | 1,5 L
    Cuiseur à riz        |                                              | Unité        | 32  | 1-1  | 1,8 L, 2,8 L*1.4
    Fer à repasser       |                                              | Unité        | 19  | 1-2
  = 8 21 home USD 18 1: Vizyon, Domus, Klartè, Echo, Son Plis, Panorama
    Téléviseur LED       |                                              | Unité        | 165 | 1-1  | 32", 43"*1.6, 50"*2.1, 55"*2.6, 65"*3.9
    Radio portative      | Radio AM/FM à piles et USB                    | Unité        | 22  | 1-2
    Haut-parleur Bluetooth|                                             | Unité        | 45  | 1-2  | 20 W, 60 W*2.4
    Écouteurs            |                                              | Unité        | 8.5 | 1-3  | filaire, sans fil*2.8
    Chargeur de téléphone|                                              | Unité        | 6.5 | 1-4  | USB-A, USB-C*1.3
    Antenne TV           |                                              | Unité        | 19  | 1-2
  = 4 7 home HTG 27 1: Lakay, Bèl Kay, Kwizin Mwen, Plastinò, Manman Kay, Kizin Plus
    Chodyè aliminyòm     | Marmite en aluminium                          | inite        | 950 | 1-3  | #4, #6*1.5, #8*2.1, #12*3.4
    Kivèt                | Cuvette en plastique                          | inite/douzèn*12| 290| 1-4 | 10 L, 20 L*1.6, 40 L*2.5
    Bokit                | Seau avec couvercle                           | inite/douzèn*12| 390| 1-4 | 3 gal, 5 gal*1.3
    Asyèt                | Assiettes                                     | jwèt         | 790 | 1-3  | 6 pyès, 12 pyès*1.85
    Vè                   | Verres                                        | jwèt         | 520 | 1-3  | 6 pyès, 12 pyès*1.85
    Kouto kwizin         | Couteau de cuisine                            | inite        | 340 | 1-3
    Tèmòs                | Thermos                                       | inite        | 1350| 1-2  | 1 L, 2 L*1.45
    Recho chabon         | Réchaud à charbon amélioré                    | inite        | 1100| 1-2  | ti, gwo*1.6
    Glasyè               | Glacière                                      | inite        | 3600| 1-2  | 16 L, 48 L*2.2
    Galon dlo            | Gallon pour eau potable                       | inite        | 640 | 1-4  | 5 gal
  = 4 8 home HTG 25 1: Repo, Dous Kabann, Plastinò, Bèl Kay, Dòmi Byen, Mobilye Nò
    Chèz plastik         | Chaise en plastique                           | inite/douzèn*12| 890| 2-12 | blan, ble, vèt
    Tab plastik          | Table en plastique                            | inite        | 3400| 1-4  | kare, won*1.1, long*1.9
    Matla                | Matelas mousse                                | inite        | 9800| 1-2  | 39x75, 54x75*1.4, 60x80*1.75
    Dra kabann           | Parure de draps                               | jwèt         | 2350| 1-3  | 54x75, 60x80*1.15
    Zorye                | Oreiller                                      | inite        | 690 | 1-4
    Moustikè             | Moustiquaire                                  | inite        | 950 | 1-4  | 1 plas, 2 plas*1.35
    Sèvyèt beny          | Serviette de bain                             | inite        | 640 | 1-4  | blan, ble, woz
    Valiz                | Valise à roulettes                            | inite        | 5400| 1-2  | 20", 24"*1.3, 28"*1.6
  = 9 22 auto USD 21 1: Gran Wout, Karayib, Toro, Adezif, Mòn, Solid Wout, Pye Fèm, Rapid
    Kawotchou machin     | Pneu tourisme                                 | Unité        | 72  | 1-4  | 175/70R13*0.8, 185/65R14*0.9, 195/65R15, 205/55R16*1.15, 225/65R17*1.55
    Kawotchou kamyonèt   | Pneu pick-up et 4x4                           | Unité        | 118 | 1-4  | 215/75R15, 235/75R15*1.1, 265/70R16*1.4, 265/65R17*1.5
    Kawotchou kamyon     | Pneu poids lourd                              | Unité        | 265 | 1-6  | 11R22.5, 295/80R22.5*1.15, 12.00R20*1.2
    Kawotchou moto       | Pneu moto                                     | Unité        | 19  | 1-2  | 2.75-17, 3.00-17*1.1, 3.00-18*1.15, 110/90-16*1.5
    Chanm kawotchou      | Chambre à air                                 | Unité/Caisse*50| 4.75| 1-4 | moto 17", moto 18", R15*2.2, R16*2.4
  = 9 23 auto USD 27 1: Motopwo, Gran Wout, Rakèt, Filtra, Sous, Wout Klè, Mekano
    Lwil motè            | Huile moteur                                  | Quart/Caisse*12| 5.75| 1-6 | 10W-30, 15W-40, 20W-50, 5W-30*1.2
    Batri machin         | Batterie de démarrage 12 V                    | Unité        | 92  | 1-2  | 50 Ah, 70 Ah*1.25, 100 Ah*1.7
    Filtre à huile       |                                              | Unité        | 6.25| 1-4  | A-20, A-35, B-12, C-07
    Filtre à air         |                                              | Unité        | 11.5| 1-2  | A-20, A-35, B-12, C-07
    Plaquettes de frein  | Jeu avant                                     | Jeu          | 26  | 1-2  | série 100, série 200*1.15, série 300*1.3
    Bougie d'allumage    |                                              | Unité/Boîte*10| 3.4 | 1-6  | courte, longue, iridium*2.6
    Liquide de frein     | DOT 4                                         | Bouteille    | 4.9 | 1-3
    Liquide de refroidissement |                                        | Galon        | 11  | 1-3
    Kas moto             | Casque de moto                                | Unité        | 34  | 1-2  | M, L, XL
    Chaîne de moto       |                                              | Unité        | 12.5| 1-2  | 428, 520*1.4
    Essuie-glace         |                                              | Paire        | 9.5 | 1-2  | 18", 22"*1.15, 26"*1.3
  = 10 24 school HTG 26 1: Lekòl Mwen, Timoun, Savwa, Klas, Plim Dò, Kaye Mwen, Ekolye, Alfabè
    Kaye                 | Cahier ligné                                  | inite/pake*12| 70  | 2-24 | 96 paj, 192 paj*1.8, 288 paj*2.6
    Kaye desen           | Cahier de dessin                              | inite/pake*12| 95  | 1-6
    Rame de papier       | Papier A4 80 g, 500 feuilles                  | Rame/Caisse*10| 740| 1-6  | lettre, A4, légal*1.2
    Chemise cartonnée    | Paquet de 25                                  | Paquet       | 560 | 1-4  | bleu, rouge, vert, jaune
    Enveloppes           | Paquet de 50                                  | Paquet       | 390 | 1-3  | #10, A4*1.6
  = 10 25 school HTG 30 1: Lekòl Mwen, Timoun, Savwa, Plim Dò, Elèv, Ekolye, Alfabè, Ti Savan
    Plim                 | Stylo à bille                                 | inite/bwat*50| 20  | 2-20 | ble, nwa, wouj
    Kreyon               | Crayons à mine                                | bwat         | 160 | 1-6
    Kreyon koulè         | Crayons de couleur                            | bwat         | 240 | 1-4  | 12 koulè, 24 koulè*1.8
    Gòm                  | Gomme                                         | inite/bwat*40| 20  | 1-10
    Jwèt jeyometri       | Trousse de géométrie                          | jwèt         | 350 | 1-4
    Sak lekòl            | Sac d'école                                   | inite        | 1650| 1-3  | ti, mwayen*1.25, gwo*1.55
    Soulye lekòl         | Chaussures d'école noires                     | pè           | 2300| 1-3  | 28, 32*1.05, 36*1.15, 40*1.25
    Twal inifòm          | Tissu pour uniforme                           | yad          | 420 | 1-8/0.25 | ble maren, kaki, wouj, blan
    Kalkilatris          | Calculatrice                                  | inite        | 690 | 1-2  | senp, syantifik*2.4
    Makè                 | Marqueur pour tableau                         | inite/bwat*12| 95  | 1-8  | nwa, ble, wouj
    Boutèy dlo           | Gourde                                        | inite        | 440 | 1-3`
