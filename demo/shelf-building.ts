// What the company sells: building materials (in gourdes) and tools (in dollars), at prices of 2026. See shelf.ts for the format.
export const buildingShelves = `
  = 5 9 building HTG 11 1: Sitadèl, Gwo Mòn, Fò Dofen, Kalbas, Baz Solid, Wòch Di
    Siman gri            | Ciment gris, sac de 42,5 kg                   | sak/palèt*40 | 1350 | 5-60
    Siman blan           | Ciment blanc, sac de 25 kg                    | sak/palèt*50 | 2150 | 1-10
    Blòk                 | Bloc de béton                                 | inite/palèt*90| 85  | 50-400/10 | 15 cm, 20 cm*1.2
    Sab                  | Sable de rivière lavé                         | m3/kamyon*6  | 3200 | 1-6 | fen*1.1, gwo
    Gravye               | Gravier concassé                              | m3/kamyon*6  | 3900 | 1-6 | 1/2", 3/4"
    Mòtye kole           | Mortier-colle pour carrelage, 50 lb           | sak          | 1250 | 2-20
  = 5 10 building HTG 13 1: Fèfò, Asye Nò, Kolòs, Sid Metal, Karayib, Fò Jak, Gwo Bra
    Fè beton             | Fer à béton, barre de 20 pieds                | ba/pake*20   | 620 | 5-60 | 3/8", 1/2"*1.75, 5/8"*2.75, 1/4"*0.5
    Tòl galvanize        | Tôle ondulée galvanisée                       | fèy/pake*25  | 980 | 4-40 | 6 pye, 8 pye*1.33, 10 pye*1.66, 12 pye*2
    Tòl koulè            | Tôle prélaquée                                | fèy/pake*25  | 1480| 4-30 | 8 pye, 10 pye*1.25, 12 pye*1.5 | wouj, ble, vèt
    Fetyè                | Faîtière pour tôle                            | fèy          | 720 | 2-10 | 6 pye, 8 pye*1.3
    Fil alye             | Fil de fer recuit à ligaturer                 | lb/woulo*50  | 165 | 2-20
    Fil kloti            | Fil barbelé                                   | woulo        | 4800| 1-6  | 200 m, 400 m*1.9
    Griyaj               | Treillis soudé                                | fèy          | 2450| 1-12 | 1.2 x 2.4 m, 2.4 x 6 m*4.4
    Kònyè                | Cornière acier                                | ba           | 2100| 1-10 | 1", 1 1/2"*1.6, 2"*2.3
    Tib kare             | Tube carré acier                              | ba           | 2350| 1-12 | 1", 1 1/2"*1.45, 2"*2
  = 5 11 building HTG 18 1: pin, bwa pen trete, kajou, chenn, pichpen
    Planch               | Planche rabotée                               | moso         | 980 | 2-30 | 1x6x12, 1x8x12*1.35, 1x12x12*2.1
    Bwa 2x4              | Bois d'œuvre 2x4                              | moso         | 1250| 4-40 | 10 pye, 12 pye*1.2, 16 pye*1.65
    Playwoud             | Contreplaqué 4x8                              | fèy          | 3100| 1-15 | 1/4", 1/2"*1.75, 3/4"*2.45
    Pòt                  | Porte en bois                                 | inite        |14500| 1-4  | 32", 36"*1.1
    Fenèt jalouzi        | Fenêtre à jalousies                           | inite        | 9800| 1-6  | 36x36, 36x48*1.3
  = 5 12 building HTG 24 1: Akwa, Dlo Klè, Rivyè, Hidro, Kaskad, Sous, Tiyotek
    Tiyo PVC             | Tuyau PVC, 20 pieds                           | ba           | 460 | 1-20 | 1/2", 3/4"*1.4, 2"*3.6, 4"*8.2
    Koud PVC             | Coude PVC                                     | inite/sache*25| 35 | 2-20 | 1/2", 3/4"*1.5, 2"*4, 4"*11
    Te PVC               | Té PVC                                        | inite/sache*25| 45 | 2-15 | 1/2", 3/4"*1.5, 2"*4, 4"*11
    Kòl PVC              | Colle PVC                                     | bwat         | 420 | 1-4  | 4 oz, 8 oz*1.7, 16 oz*2.9
    Wobinè               | Robinet                                       | inite        | 780 | 1-5  | jaden, lavabo*2.1, kwizin*3.2
    Lavabo               | Lavabo avec colonne                           | inite        | 7900| 1-3
    Twalèt konplè        | Cuvette de WC avec réservoir                  | inite        |15900| 1-4
    Douch                | Pomme de douche                               | inite        | 1150| 1-3
    Rezèvwa dlo          | Réservoir d'eau                               | inite        |14500| 1-2  | 150 gal, 250 gal*1.5, 400 gal*2.3, 600 gal*3.3
    Ponp dlo             | Pompe à eau électrique                        | inite        |12800| 1-2  | 1/2 HP, 1 HP*1.7
  = 5 13 building HTG 25 1: Kolibri, Lakansyèl, Bèl Mi, Nouvo, Pentopwo, Bon Koulè, Klere Kay
    Penti lateks         | Peinture à l'eau                              | galon/bokit*5| 2150| 1-8  | blan, krèm, ble, vèt, jòn, gri
    Penti lwil           | Peinture à l'huile                            | galon/bokit*5| 2900| 1-5  | blan, nwa, mawon, gri, ble
    Vèni                 | Vernis marin                                  | galon        | 3250| 1-3
    Tinè                 | Diluant                                       | galon        | 1250| 1-4
    Woulo penti          | Rouleau à peinture                            | inite        | 390 | 1-4  | 4", 9"*1.5
    Pensò                | Pinceau                                       | inite        | 165 | 1-6  | 1", 2"*1.5, 4"*2.6
    Seramik              | Carrelage de sol, boîte de 1,5 m²             | bwat         | 1950| 4-40 | 30x30, 45x45*1.2, 60x60*1.6 | blan, bèj, gri, mab
    Mastik               | Mastic de finition                            | galon        | 1150| 1-4
  = 6 14 building USD 30 1: Fòs, Bras Di, Toro, Metrik, Chantye, Atelye, Solido, Men Kontan
    Marteau de charpentier|                                              | Unité        | 11.5| 1-3  | 16 oz, 20 oz*1.2
    Tournevis            | Tournevis, manche bimatière                   | Unité        | 3.75| 1-4  | plat, cruciforme
    Jeu de clés          | Clés mixtes en acier chromé                   | Unité        | 29  | 1-2  | 8 pièces, 12 pièces*1.5, 24 pièces*2.6
    Perceuse à percussion|                                              | Unité        | 62  | 1-2  | 1/2"-600 W, 1/2"-850 W*1.35
    Meuleuse d'angle     |                                              | Unité        | 49  | 1-2  | 4 1/2", 7"*1.8
    Scie circulaire      |                                              | Unité        | 88  | 1-1  | 7 1/4"
    Égoïne               | Scie à main                                   | Unité        | 9.5 | 1-3
    Mètre ruban          |                                              | Unité        | 6.25| 1-4  | 5 m, 8 m*1.5
    Niveau à bulle       |                                              | Unité        | 9   | 1-2  | 24", 48"*1.9
    Brouette             | Brouette de chantier                          | Unité        | 72  | 1-4
    Pelle                | Pelle ronde à manche long                     | Unité        | 13.5| 1-6
    Pioche               |                                              | Unité        | 17.5| 1-5
    Truelle              |                                              | Unité        | 5.25| 1-4
    Machette             |                                              | Unité/Caisse*12| 6.5| 1-6 | 18", 22"*1.15
    Houe                 | Houe de jardin avec manche                    | Unité        | 10.5| 1-6
    Échelle aluminium    |                                              | Unité        | 92  | 1-2  | 8 pieds, 12 pieds*1.5, 24 pieds*2.7
    Pince universelle    |                                              | Unité        | 7.5 | 1-3
    Boîte à outils       |                                              | Unité        | 24  | 1-1  | 16", 22"*1.5
    Disque à tronçonner  |                                              | Unité/Boîte*25| 1.6| 2-12 | 4 1/2", 7"*1.9, 14"*4.2
    Poste à souder       | Poste à souder à l'arc                        | Unité        | 175 | 1-1  | 140 A, 200 A*1.4, 250 A*1.9
  = 6 15 building HTG 28 1: Seri Fò, Kle, Fòs, Asye Nò, Solido, Pòt Fèmen, Gwo Bra
    Klou                 | Clous                                         | lb/bwat*50   | 140 | 1-20/0.5 | 2", 2 1/2", 3", 4"
    Klou tòl             | Clous à tôle avec rondelle                    | lb/bwat*50   | 195 | 1-15/0.5
    Vis bwa              | Vis à bois, boîte de 100                      | bwat         | 310 | 1-6  | 1", 1 1/2"*1.2, 2"*1.5, 3"*2.1
    Kadna                | Cadenas                                       | inite        | 420 | 1-4  | 30 mm, 40 mm*1.4, 50 mm*1.9, 70 mm*3.1
    Seri pòt             | Serrure de porte                              | inite        | 1950| 1-4  | chanm, antre*1.7, sekirite*3.1
    Chanyè               | Charnières, la paire                          | pè           | 190 | 1-8  | 3", 4"*1.4
    Chenn                | Chaîne galvanisée                             | mèt          | 330 | 0.5-12/0.5 | 6 mm, 8 mm*1.5, 10 mm*2.2
    Kòd nilon            | Corde en nylon                                | mèt/woulo*100| 45  | 2-40/0.5 | 6 mm, 10 mm*1.9, 12 mm*2.6
    Bach                 | Bâche                                         | inite        | 1450| 1-4  | 8x10, 12x16*2.1, 20x30*6.2`
