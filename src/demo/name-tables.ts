// Given and family names of many origins; their combinations are fictional. `native=latin` is a
// name in its own script and in Latin letters for the login.
// Invariant: names.ts drops a given or family name whose letters, reduced to a-z, repeat an earlier
// one, so that each login belongs to one pair.

/** The names of one origin. */
export interface Origin {
  readonly given: readonly string[];
  readonly family: readonly string[];
  /** Family name first and without a space, as in 王伟. */
  readonly familyFirst: boolean;
}

function origin(given: string, family: string, familyFirst = false): Origin {
  return { given: given.split(', '), family: family.split(', '), familyFirst };
}

export const ORIGINS: readonly Origin[] = [
  origin(
    'Adam, Alice, Amelia, Andrew, Beatrice, Benjamin, Charlotte, Claire, Daniel, Edith, Edward, Eleanor, Emily, Ethan, Florence, George, Grace, Harriet, Henry, Imogen, Isaac, Jack, James, Joanna, John, Judith, Laura, Matthew, Megan, Nathan, Olivia, Peter, Rachel, Rebecca, Robert, Samuel, Sophie, Thomas, Victoria, William',
    'Archer, Ashworth, Bailey, Barker, Bennett, Booth, Carter, Chapman, Clarke, Cooper, Dawson, Ellis, Fletcher, Foster, Gibson, Hargreaves, Harper, Holloway, Hughes, Jenkins, Kendall, Lawson, Marsh, Mercer, Newton, Osborne, Palmer, Pritchard, Reeves, Sanders, Shaw, Smith, Taylor, Thorne, Turner, Underwood, Walker, Watson, Whitfield, Wright',
  ),
  origin(
    'Aoife, Brendan, Caoimhe, Ciarán, Conor, Deirdre, Eoin, Fionnuala, Gráinne, Liam, Maeve, Niamh, Oisín, Orla, Pádraig, Róisín, Saoirse, Seán, Siobhán, Tadhg, Ewan, Fiona, Hamish, Isla, Morag',
    "Byrne, Callaghan, Doyle, Fitzgerald, Gallagher, Kavanagh, Lynch, MacCarthy, MacLeod, McDonagh, Nolan, O'Brien, O'Connor, O'Donnell, O'Keeffe, O'Malley, O'Neill, O'Sullivan, Quinn, Ryan, Brady, Campbell, Drummond, Fraser, Sinclair",
  ),
  origin(
    'Agnès, Amélie, Antoine, Aurélie, Benoît, Camille, Cédric, Céline, Chloé, Éloïse, Émile, Étienne, François, Geneviève, Gaël, Hélène, Jean-Luc, Jérôme, Léa, Mathilde, Noémie, Océane, Rémi, Sylvain, Thérèse, Thibault, Yannick, Zoé',
    "Beaumont, Bélanger, Chevalier, Côté, d'Aubigny, de la Croix, Delacroix, Deschamps, Dubois, Dufour, Durand, Fournier, Gagnon, Girard, Lefèvre, Legrand, Lemaître, L'Hôte, Mercier, Moreau, Perrault, Poirier, Renaud, Roussel, Saint-Pierre, Tremblay, Vasseur",
  ),
  origin(
    'Anneliese, Bastian, Birgit, Dieter, Friederike, Fritz, Gisela, Günther, Hannelore, Heike, Ingrid, Jürgen, Jörg, Käthe, Klaus, Lieselotte, Lukas, Matthias, Renate, Sabine, Sören, Ulrike, Uwe, Wolfgang, Bram, Femke, Joost, Maaike, Pieter, Sanne',
    'Bauer, Becker, Böhm, Brandt, Dietrich, Fischer, Groß, Hoffmann, Jäger, Kaufmann, Keller, Köhler, König, Krüger, Lindemann, Möller, Müller, Schäfer, Schröder, Schulz, Vogel, von Hagen, Weiß, Zimmermann, de Vries, Hendriks, Jansen, van den Berg, van der Meer, Visser',
  ),
  origin(
    'Álvaro, Ana, Andrés, Begoña, Carlos, Concepción, Cristóbal, Elena, Esteban, Guadalupe, Ignacio, Inés, Íñigo, Javier, José, Lucía, María, Marisol, Martín, Mercedes, Mónica, Noelia, Óscar, Pilar, Ramón, Raúl, Rocío, Sofía, Tomás, Ximena',
    'Aguirre, Álvarez, Castillo, Cortés, Delgado, Díaz, Domínguez, Echeverría, Fernández, García, Gómez, Gutiérrez, Herrera, Ibáñez, Jiménez, López, Muñoz, Navarro, Núñez, Ordóñez, Peña, Pérez, Quiñones, Ramírez, Ríos, Rodríguez, Sánchez, Solano, Vázquez, Zúñiga',
  ),
  origin(
    'Adriana, Afonso, Beatriz, Caio, Conceição, Duarte, Fernanda, Filipe, Gonçalo, Helena, Inácio, João, Joaquim, Leonor, Lourenço, Luísa, Madalena, Otávio, Rafael, Simão, Tainá, Thiago, Vasco, Vitória',
    'Almeida, Araújo, Azevedo, Barbosa, Brandão, Cardoso, Carvalho, Conceição, Fonseca, Gonçalves, Guimarães, Leitão, Magalhães, Monteiro, Moura, Nogueira, Oliveira, Queirós, Ribeiro, Santos, Silva, Simões, Tavares, Teixeira',
  ),
  origin(
    'Alessandra, Alessio, Chiara, Cosimo, Donatella, Elisabetta, Enzo, Fabrizio, Federica, Francesca, Giacomo, Ginevra, Giulia, Giuseppe, Lorenzo, Luca, Margherita, Massimo, Mirella, Nicolò, Ottavia, Paola, Raffaele, Simonetta, Umberto, Viviana',
    "Amato, Barbieri, Bellini, Bianchi, Caruso, Colombo, Conti, D'Angelo, De Luca, Dell'Orto, Esposito, Fabbri, Ferrara, Fontana, Gallo, Greco, Leone, Lombardi, Mancini, Marchetti, Moretti, Pellegrini, Ricci, Rossi, Russo, Vitale",
  ),
  origin(
    'Agnieszka, Aleksander, Bogdan, Bożena, Dominika, Dušan, Grzegorz, Iveta, Jadwiga, Jiří, Kacper, Katarzyna, Łucja, Łukasz, Małgorzata, Miloš, Mirosław, Ondřej, Paweł, Radka, Stanisława, Šárka, Václav, Wojciech, Zbigniew, Željko, Zsófia, László',
    'Baran, Černý, Čapek, Dąbrowski, Dvořák, Fiala, Gajewski, Havlíček, Horváth, Jabłoński, Kaczmarek, Kovač, Kowalczyk, Kučera, Lewandowska, Marković, Nagy, Novák, Nowak, Petrović, Procházka, Szabó, Szymański, Świątek, Wiśniewska, Wójcik, Zając, Žižka',
  ),
  origin(
    'Åsa, Astrid, Björn, Eirik, Elín, Freja, Gunnar, Guðrún, Håkon, Ingeborg, Jóhanna, Jørgen, Kåre, Kirsten, Lasse, Linnéa, Maren, Nils, Øystein, Ragnhild, Rúnar, Sigrid, Søren, Sølvi, Torbjörn, Þórdís, Aino, Eero, Päivi, Väinö',
    'Andersson, Bergström, Bjørnstad, Dahl, Ekström, Eriksson, Gustafsson, Hägglund, Hansen, Haugen, Jónsdóttir, Kjær, Lindqvist, Lundgren, Møller-Holst, Nygård, Ødegård, Ólafsson, Öberg, Rasmussen, Sandvik, Sigurðsson, Söderlund, Strand, Thorvaldsen, Wikström, Hämäläinen, Korhonen, Mäkinen, Virtanen',
  ),
  origin(
    'Ayşe, Barış, Burak, Çağla, Cem, Defne, Elif, Emre, Fatma, Gökhan, Gülşen, Hüseyin, İbrahim, İpek, Kerem, Mehmet, Nilüfer, Ömer, Özge, Serkan, Şebnem, Tuğba, Ülkü, Yiğit, Zeynep',
    'Akın, Aksoy, Arslan, Aydın, Bozkurt, Çelik, Demirci, Doğan, Erdoğan, Güneş, Işık, Kaplan, Kılıç, Koç, Korkmaz, Öztürk, Özdemir, Polat, Şahin, Şimşek, Tekin, Uçar, Yavuz, Yıldız, Yılmaz',
  ),
  origin(
    'Aarav, Aditi, Ananya, Arjun, Deepak, Devika, Farah, Gautam, Ishaan, Jyoti, Kavya, Kiran, Lakshmi, Manish, Meera, Neha, Nikhil, Padma, Pranav, Priya, Radhika, Rahul, Ravi, Rohan, Sanjay, Shreya, Sunita, Tanvi, Usha, Vikram',
    'Agarwal, Banerjee, Bhatt, Chatterjee, Chaudhary, Desai, Deshpande, Ganesan, Ghosh, Gupta, Iyer, Jain, Joshi, Kapoor, Krishnamurthy, Kulkarni, Malhotra, Mehta, Menon, Mishra, Nair, Patel, Pillai, Rajan, Rao, Reddy, Sharma, Singh, Subramanian, Venkataraman',
  ),
  origin(
    '伟=Wei, 芳=Fang, 娜=Na, 敏=Min, 静=Jing, 强=Qiang, 磊=Lei, 洋=Yang, 艳=Yan, 勇=Yong, 军=Jun, 杰=Jie, 涛=Tao, 明=Ming, 超=Chao, 秀英=Xiuying, 霞=Xia, 平=Ping, 刚=Gang, 桂英=Guiying, Haoran, Jiayi, Lihua, Meiling, Wenjing, Xiaoming, Yifan, Zihan',
    '王=Wang, 李=Li, 张=Zhang, 刘=Liu, 陈=Chen, 杨=Yeung, 赵=Zhao, 黄=Huang, 周=Zhou, 吴=Wu, 徐=Xu, 孙=Sun, 胡=Hu, 朱=Zhu, 高=Gao, 林=Lin, 何=He, 郭=Guo, 马=Ma, 罗=Luo, 梁=Liang, 宋=Song, 郑=Zheng, 谢=Xie, 韩=Han',
    true,
  ),
  origin(
    '翔太=Shota, 陽菜=Hina, 健太=Kenta, 美咲=Misaki, 大輔=Daisuke, 直樹=Naoki, 由美=Yumi, 智子=Tomoko, 拓也=Takuya, 彩=Aya, 恵子=Keiko, 誠=Makoto, 真由美=Mayumi, 隆=Takashi, 裕子=Yuko, 浩=Hiroshi, 愛=Ai, 亮=Ryo, 蓮=Ren, さくら=Sakura',
    '佐藤=Sato, 鈴木=Suzuki, 高橋=Takahashi, 田中=Tanaka, 伊藤=Ito, 渡辺=Watanabe, 山本=Yamamoto, 中村=Nakamura, 小林=Kobayashi, 加藤=Kato, 吉田=Yoshida, 山田=Yamada, 佐々木=Sasaki, 山口=Yamaguchi, 松本=Matsumoto, 井上=Inoue, 木村=Kimura, 清水=Shimizu, 斎藤=Saito, 森=Mori',
    true,
  ),
  origin(
    '민준=Minjun, 서연=Seoyeon, 지훈=Jihoon, 수빈=Subin, 예준=Yejun, 하은=Haeun, 도윤=Doyoon, 지우=Jiwoo, 현우=Hyunwoo, 은지=Eunji, 준호=Junho, 소연=Soyeon, 영수=Youngsoo, 미영=Miyoung, 동현=Donghyun, 유진=Yujin',
    '김=Kim, 이=Lee, 박=Park, 최=Choi, 정=Jung, 강=Kang, 조=Cho, 윤=Yoon, 장=Jang, 임=Lim, 오=Oh, 서=Seo, 신=Shin, 권=Kwon, 황=Hwang, 안=Ahn',
    true,
  ),
  origin(
    'An, Bảo, Bích, Châu, Đạt, Đức, Hạnh, Hiếu, Hồng, Hương, Khánh, Linh, Minh Anh, Ngọc, Nhung, Phúc, Quỳnh, Sơn, Thảo, Thu, Trang, Tuấn, Vân, Yến',
    'Bùi, Đặng, Đinh, Đỗ, Dương, Hoàng, Hồ, Huỳnh, Lê, Lý, Mai, Ngô, Nguyễn, Phạm, Phan, Tạ, Tô, Trần, Trịnh, Võ, Vũ, Vương',
  ),
  origin(
    'Abdullah, Aisha, Amina, Bilal, Dalia, Farid, Fatima, Hala, Hamza, Hassan, Idris, Karim, Khadija, Layla, Mariam, Mustafa, Nadia, Omar, Rania, Samir, Tariq, Yasmin, Youssef, Zainab',
    'Abadi, al-Amin, al-Farsi, al-Hashimi, al-Rashid, Aziz, Bakri, Darwish, Fahmy, Ghanem, Haddad, Hamdan, Ibrahim, Jaber, Khalil, Mansour, Nasser, Qasim, Rahman, Saad, Saleh, Shaheen, Yousef, Zaman',
  ),
  origin(
    'Abebe, Adaeze, Adwoa, Akinyi, Amara, Babajide, Chidi, Chioma, Efua, Emeka, Folasade, Kofi, Kwame, Lerato, Makena, Ngozi, Nkechi, Nomvula, Oluwaseun, Sipho, Tendai, Thandiwe, Wanjiru, Yaw, Zola',
    'Abiodun, Achebe, Adebayo, Adeyemi, Asante, Bekele, Boateng, Dlamini, Eze, Kamau, Khumalo, Kimani, Mensah, Mokoena, Moyo, Mutua, Nkosi, Nwosu, Obi, Odhiambo, Okafor, Okonkwo, Owusu, Tesfaye, Zulu',
  ),
  origin(
    'Анна=Anna, Дмитрий=Dmitri, Екатерина=Ekaterina, Игорь=Igor, Наталья=Natalia, Ольга=Olga, Сергей=Sergei, Татьяна=Tatiana, Ελένη=Eleni, Γιώργος=Giorgos, Κατερίνα=Katerina, Νίκος=Nikos, Σοφία=Sophia, Bohdan, Halyna, Oleksandr, Oksana, Yevhen',
    'Антонов=Antonov, Волков=Volkov, Иванов=Ivanov, Лебедев=Lebedev, Морозов=Morozov, Соколов=Sokolov, Αλεξίου=Alexiou, Γεωργίου=Georgiou, Παπαδόπουλος=Papadopoulos, Νικολαΐδης=Nikolaidis, Bondarenko, Kovalenko, Lysenko, Melnyk, Shevchenko, Tkachenko',
  ),
];
