<html><head>
 <link rel="stylesheet" href="/stylesheets/archive.css" type="text/css"/>
 <link rel="SHORTCUT ICON" href="/images/logo-16.jpg"/>
   <title>Internet Archive: Credits</title>
</head>
<body class="Home">

<!--BEGIN HEADER 1-->
<table style="background-color:white " cellspacing="0" width="100%" border="0" cellpadding="0">
  <tbody>
    <tr> 
      <td style="width:100px; height:72px; vertical-align:top; background-color:#000000;">
        <a href="/"><img style="border:0;" alt="(logo)" src="/images/logo.jpg" width="84" height="70"/></a>
      </td>
      <td valign="bottom" style="background-image:url(/images/blendbar.jpg);">
        <table width="100%" border="0" cellpadding="5">
          <tr> 
            <td class="level1Header">
              
<a href="/web/web.php">Web</a> | 
<a href="/details/movies">Moving Images</a> | 
<a href="/details/texts">Texts</a> | 
<a href="/details/audio">Audio</a> | 
<a href="/details/software">Software</a> | 
<a href="/details/education">Education</a> | 
<a href="/account/login.php">Patron Info</a> | 
<a class="headerAt" href="/about/about.php">About IA</a>            </td>
          </tr>
                    
        </table>
      </td>
      <td style="width:80px; height:72px; vertical-align:top; text-align: right">
	<a href="/about/credits.php"><img alt="(navigation image)" src="/images/main-header.jpg" style="margin:0; border:0; vertical-align:top;" /></a>      </td>
    </tr>
  </tbody>
</table>

<!--BEGIN HEADER 2-->
<table width="100%" class="level2Header">
  <tbody>
    <tr>
      <td align="left" valign="top" class="level2HeaderLeft">
        <a class="level2Header" href="/">Home</a>
      </td>
      <td style="width:100%;" class="level2Header">
        <a href="/donate/index.php">Donate</a> | 
<a href="/iathreads/forums.php">Forums</a> | 
<a href="/about/faqs.php">FAQs</a> | 
<a href="/contribute.php">Contributions</a> | 
<a href="/about/terms.php">Terms, Privacy, & Copyright</a> | 
<a href="/about/contact.php">Contact</a> | 
<a href="/about/jobs.php">Jobs</a> | 
<a href="/about/bios.php">Bios</a>
      </td>
    </tr>
  </tbody>
</table>

          
<!--BEGIN HEADER 3-->
<table cellspacing="0" width="100%" border="0" cellpadding="0"><tbody>
          <tr> 
        <td class="level3HeaderColorBar" colspan="4"></td>
      </tr>
        <tr> 
      <td  class="level3Header level3HeaderLeft">
        <form style="margin:0;padding:0;" action="/searchresults.php" id="searchform" method="post"><p style="margin:0;padding:0;">
          <b>Search:</b>
          <input tabindex="1" size="25" name="search" value="" style="font-size: 8pt"/>
            <select tabindex="2" style="PADDING-TOP: 2px; font-size: 8pt;" name="mediatype">
            <option value="all">All Media Types</option>
            <option  value="web">&nbsp;&nbsp;Wayback Machine</option>

            <option  value="movies">&nbsp;&nbsp;Moving Images</option>
<option  value="movies.animationandcartoons" >&nbsp;&nbsp;&nbsp;&nbsp;Animation & Cartoons</option>
<option  value="movies.artsandmusicvideos" >&nbsp;&nbsp;&nbsp;&nbsp;Arts & Music</option>
<option  value="movies.computersandtechvideos" >&nbsp;&nbsp;&nbsp;&nbsp;Computers & Technology</option>
<option  value="movies.culturalandacademicfilms" >&nbsp;&nbsp;&nbsp;&nbsp;Cultural & Academic Films</option>
<option  value="movies.ephemera" >&nbsp;&nbsp;&nbsp;&nbsp;Ephemeral Films</option>
<option  value="movies.moviesandfilms" >&nbsp;&nbsp;&nbsp;&nbsp;Movies</option>
<option  value="movies.newsandpublicaffairs" >&nbsp;&nbsp;&nbsp;&nbsp;News & Public Affairs</option>
<option  value="movies.foreignlanguagevideos" >&nbsp;&nbsp;&nbsp;&nbsp;Non-English Videos</option>
<option  value="movies.opensource_movies" >&nbsp;&nbsp;&nbsp;&nbsp;Open Source Movies</option>
<option  value="movies.prelinger" >&nbsp;&nbsp;&nbsp;&nbsp;Prelinger Archives</option>
<option  value="movies.sports" >&nbsp;&nbsp;&nbsp;&nbsp;Sports Videos</option>
<option  value="movies.gamevideos" >&nbsp;&nbsp;&nbsp;&nbsp;Video Games</option>
<option  value="movies.vlogs" >&nbsp;&nbsp;&nbsp;&nbsp;Vlogs</option>
<option  value="movies.youth_media" >&nbsp;&nbsp;&nbsp;&nbsp;Youth Media</option>
<option  value="texts">&nbsp;&nbsp;Texts</option>
<option  value="texts.americana" >&nbsp;&nbsp;&nbsp;&nbsp;American Libraries</option>
<option  value="texts.toronto" >&nbsp;&nbsp;&nbsp;&nbsp;Canadian Libraries</option>
<option  value="texts.opensource" >&nbsp;&nbsp;&nbsp;&nbsp;Open Source Books</option>
<option  value="texts.gutenberg" >&nbsp;&nbsp;&nbsp;&nbsp;Project Gutenberg</option>
<option  value="texts.biodiversity" >&nbsp;&nbsp;&nbsp;&nbsp;Biodiversity Heritage Library</option>
<option  value="texts.iacl" >&nbsp;&nbsp;&nbsp;&nbsp;Children's Library</option>
<option  value="texts.additional_collections" >&nbsp;&nbsp;&nbsp;&nbsp;Additional Collections</option>
<option  value="audio">&nbsp;&nbsp;Audio</option>
<option  value="audio.audio_bookspoetry" >&nbsp;&nbsp;&nbsp;&nbsp;Audio Books & Poetry</option>
<option  value="audio.audio_tech" >&nbsp;&nbsp;&nbsp;&nbsp;Computers & Technology</option>
<option  value="audio.GratefulDead" >&nbsp;&nbsp;&nbsp;&nbsp;Grateful Dead</option>
<option  value="audio.etree" >&nbsp;&nbsp;&nbsp;&nbsp;Live Music Archive</option>
<option  value="audio.audio_music" >&nbsp;&nbsp;&nbsp;&nbsp;Music & Arts</option>
<option  value="audio.netlabels" >&nbsp;&nbsp;&nbsp;&nbsp;Netlabels</option>
<option  value="audio.audio_news" >&nbsp;&nbsp;&nbsp;&nbsp;News & Public Affairs</option>
<option  value="audio.audio_foreign" >&nbsp;&nbsp;&nbsp;&nbsp;Non-English Audio</option>
<option  value="audio.opensource_audio" >&nbsp;&nbsp;&nbsp;&nbsp;Open Source Audio</option>
<option  value="audio.audio_podcast" >&nbsp;&nbsp;&nbsp;&nbsp;Podcasts</option>
<option  value="audio.radioprograms" >&nbsp;&nbsp;&nbsp;&nbsp;Radio Programs</option>
<option  value="audio.audio_religion" >&nbsp;&nbsp;&nbsp;&nbsp;Spirituality & Religion</option>
<option  value="software">&nbsp;&nbsp;Software</option>
<option  value="software.clasp" >&nbsp;&nbsp;&nbsp;&nbsp;CLASP</option>
<option  value="software.tucows" >&nbsp;&nbsp;&nbsp;&nbsp;Tucows Software Library</option>
<option  value="education">&nbsp;&nbsp;Education</option>

            <option value="forums" >Forums</option>
            <option value="faqs"   >FAQs</option>
	  </select>
          <input tabindex="3" style="vertical-align:bottom; text-align:absmiddle; width:21px; height:21px; border:0px" name="gobutton" type="image" id="gobutton" value="Find" src="/images/go-button-gateway.gif"/>
          <input type="hidden" name="limit" value="100"/>
          <input type="hidden" name="start" value="0"/>
          <input type="hidden" name="searchAll" value="yes"/>
          <input type="hidden" name="submit" value="this was submitted"/>
                    <a href="/advancedsearch.php" class="level3Header level3HeaderSearch">Advanced Search</a>
                  </p></form>
      </td>

        <td class="level3Header level3HeaderRight"><a class="backColor1 linkbutton" style="margin-right:15px; color:#fff !important" href="http://www.archive.org/create/">Upload</a><b>Anonymous User</b> <span style="font-size:7pt;">(<a class="level3Header" href="/account/login.php">login</a> or <a class="level3Header" href="/account/login.createaccount.php">join us</a>)</span>&nbsp;</td>    </tr>
  </tbody></table>
  <div style="padding-bottom:17px;"></div>

<!--BEGIN PAGE-->

<div id="col1"><div class="box"><h1>Media Coverage <a href="/iathreads/forum-display.php?forum=news"><font color="#ffffff" size="1">[more]</font></a></h1><table class="forumTable" cellpadding="5" cellspacing="0" >
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=162016"> Brewster Kahle profiled in GOOD magazine</a></td> </tr>
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=158371"> Podcast of Brewster at South By Southwest!</a></td> </tr>
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=144937"> Nasa and Internet Archive Team to Digitize Space Imagery</a></td> </tr>
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=135600"> OSTI Partners with Internet Archive</a></td> </tr>
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=99519"> Brewster Kahle interviewed in Second Life!</a></td> </tr>
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=91878"> Great Article from WebProNews!</a></td> </tr>
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=89140"> Cnet Article- Grant Funds Open-Source Challenge to Google Library</a></td> </tr>
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=88924"> Ap Story Picked up by several major publications!</a></td> </tr>
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=80373"> Forbes.com picks up AP story on the Archive! "When a website dies, it goes to Heaven..."</a></td> </tr>
<tr valign="top" class="forumRow"> <td><a href="/iathreads/post-view.php?id=73130"> SF Chronicle spotlights Tech Award winners</a></td> </tr>
</table></div>      </div>
      <div id="col2" style="margin-right:30px;">
            <div class="box">
      <h1>Credits: Thank You from the Internet Archive</h1>

      <h2>Institutional Support</h2>

<center>                       
<TABLE BORDER="0" CELLPADDING="5" CELLSPACING="5">

<TR valign=top>
        <TD STYLE="text-align:right;border-bottom:1px solid #CCCC99;"><A NAME="alexa"></A><a href="http://www.alexa.com"><IMG SRC="../images/alexa_websearch_logo.gif" WIDTH="301" HEIGHT="47" BORDER="0"></a><br/><A HREF="http://download.alexa.com/?p=prod_serv"><IMG SRC="../images/alexalogo-archive.gif" WIDTH="304" HEIGHT="36" BORDER="0" align=top></A></TD>             <TD STYLE="border-bottom:1px solid #CCCC99;"><a href="http://www.alexa.com">Alexa Internet</a>. <Br /><br /></TD>
</TR>

<!--
<TR valign=top>
        <TD STYLE="text-align:right;border-bottom:1px solid #CCCC99;"><A NAME="hp"></A><a href="http://www.hp.com"><IMG SRC="../images/hplogo.gif" WIDTH="66" HEIGHT="55" BORDER="0"></a></TD>          <TD STYLE="border-bottom:1px solid #CCCC99;"><a href="http://www.hp.com">Hewlett Packard</a></TD>
</TR>
-->

<TR valign=top>
        <TD STYLE="text-align:right;border-bottom:1px solid #CCCC99;"> <A NAME="khale"></A></TD>           <TD STYLE="border-bottom:1px solid #CCCC99;">The Kahle/Austin Foundation</TD>
</TR>

<TR valign=top>
        <TD STYLE="text-align:right;border-bottom:1px solid #CCCC99;"><A NAME="prelinger"></A><a href="http://www.prelinger.com"><IMG SRC="../images/prelinger-header-new.jpg" WIDTH="84" HEIGHT="72" BORDER="0"></a></TD>              <TD STYLE="border-bottom:1px solid #CCCC99;"><a href="http://www.prelinger.com">Prelinger Archives</a></TD>
</TR>

<TR valign=top>
        <TD STYLE="text-align:right;border-bottom:1px solid #CCCC99;"><A NAME="nsf"></A><a href="http://www.nsf.gov"><IMG SRC="../images/nsf.gif" WIDTH="60" HEIGHT="60" BORDER="0"></a></TD>           <TD STYLE="border-bottom:1px solid #CCCC99;"><a href="http://www.nsf.gov">National Science Foundation</a></TD>

<TR valign=top>
        <TD STYLE="text-align:right;border-bottom:1px solid #CCCC99;"><A NAME="loc"></A><a href="http://www.loc.gov"><IMG SRC="/images/LOCLogoSmall.jpg" WIDTH="105" HEIGHT="103" BORDER="0"></a></TD>              <TD STYLE="border-bottom:1px solid #CCCC99;"><a href="http://www.loc.gov">Library of Congress</a></TD>

<TR valign=top>
        <TD STYLE="text-align:right;border-bottom:1px solid #CCCC99;"><A NAME="lt"></A><a href="http://www.lizardtech.com"><IMG SRC="/images/lizardtech.gif" BORDER="0"></a></TD>               <TD STYLE="border-bottom:1px solid #CCCC99;"><a href="http://www.lizardtech.com">LizardTech</a><br /><br /> <a href="http://www.lizardtech.com/download/?x=2&p=1&o=1"><img src="/images/djvu-download.gif" border="0" style="padding: 3px; border: 1px solid #0000FF;"></a></TD>
</TR>

<TR valign=top>
        <TD STYLE="text-align:right;border-bottom:1px solid #CCCC99;"><A NAME="sloan"></A><a href="http://www.sloan.org"><IMG SRC="/images/sloan.jpg" BORDER="0"></a></TD>       
      <TD STYLE="border-bottom:1px solid #CCCC99;"><a href="http://www.sloan.org">The Alfred P. Sloan Foundation</a></TD>
</TR>

<TR valign=top>
        <TD STYLE="text-align:right;border-bottom:1px solid #CCCC99;"> <A NAME="hewlett"></A><a href="http://www.hewlett.org/"><img src="/images/hewlett.jpg" border="0"></a></TD>         
        <TD STYLE="border-bottom:1px solid #CCCC99;"><a href="http://www.hewlett.org">The William and Flora Hewlett Foundation</a></TD>
</TR>
</TABLE>
</center>

<h2>Awards</h2>
<a href="http://www.techawards.org/"><img border="0" src="/images/ta2004_icon.jpg"/></a>


<h2>3rd Party Tools</h2>

      <center>                 
      <TABLE BORDER="0" CELLPADDING="0" CELLSPACING="5">
        <TR valign=top>
          <TD>
            <a href="http://www.bookmarklets.com">www.bookmarklets.com</a>
          </TD>
          <TD>
            Look for cool Wayback Machine helpers at
            <A HREF="http://www.bookmarklets.com/tools/new.html">http://www.bookmarklets.com/tools/new.html</A>
          </TD>
        </TR>
      </TABLE>
      </center>


    </div>
          </div>
      <br clear="all"/>
    


<hr style="clear:both;"/>
<p id="iafoot" style="width:100%; text-align:center; font:Arial; font-size:7pt;">
  <a href="/about/terms.php">Terms of Use (10 Mar 2001)</a>
</p>
</body></html>
